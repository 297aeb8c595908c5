"""Keys come from the environment, each can be masked, and no message shows one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from petcheck.config.keys import KEY_VARIABLE
from petcheck.config.load import configure, expect_no_key_in_arguments
from petcheck.config.targets import Url
from petcheck.errors import ConfigError
from petcheck.wire.credentials import ApiKey
from tests.config.configured import STAGING, TODAY, complaint, configured


def test_each_target_has_its_own_key() -> None:
    keys = {"PETSTORE_API_KEY": "k-123", "PETSTORE_API_KEY_EU_WEST": "west-1"}
    targets = configured(target=[f"eu-west={STAGING}", f"eu-east={STAGING}"], environment=keys).targets
    assert [target.source for target in targets] == [Url(STAGING, ApiKey("west-1")), Url(STAGING, ApiKey("k-123"))]


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        (
            {"PETSTORE_API_KEY": ""},
            "PETSTORE_API_KEY is empty, so there is no API key for target 'eu'; put the key into it",
        ),
        (
            {"PETSTORE_API_KEY": "k-123", "PETSTORE_API_KEY_EU": " "},
            "PETSTORE_API_KEY_EU is empty, so there is no API key for target 'eu'; put the key into it",
        ),
        (
            {"PETSTORE_API_KEY": "Bearer k-123"},
            "PETSTORE_API_KEY begins with the word Bearer; remove it, petcheck adds it",
        ),
    ],
)
def test_what_goes_wrong_when_a_key_is_copied(environment: dict[str, str], message: str) -> None:
    assert complaint(target=[f"eu={STAGING}"], environment=environment) == message


def test_a_target_after_allow_writes_is_no_requirement() -> None:
    message = complaint(target=[f"eu={STAGING}"], choose=["eu"], allow_writes="*")
    assert message == "eu is a target; to allow POST there, write --allow-writes=eu"


def test_no_message_shows_the_key() -> None:
    secret = "k-Zq93+ä"
    assert "Zq93" not in complaint(target=[STAGING], environment={"PETSTORE_API_KEY": secret})


OWN = "K8vQw2zRt-Sx71"


@pytest.mark.parametrize(
    ("how", "where"),
    [
        ({"target": [f"https://h/{OWN}/v1"]}, "--target"),
        ({"target": [f"https://h/%4B{OWN[1:]}/v1"]}, "--target"),
        ({"target": [f"https://h/v1?key={OWN}"]}, "--target"),
        ({"reports": OWN}, "--reports"),
        ({"plan": OWN}, "--plan"),
        ({"config": OWN}, None),
        ({"file": f'[targets.a]\nurl = "https://h/v1"\nkey = "{OWN}"'}, "petcheck.toml"),
        ({"file": f'# {OWN}\n[targets.a]\nurl = "https://h/v1"'}, "petcheck.toml"),
    ],
)
def test_a_key_in_any_option_is_refused_and_not_repeated(how: dict[str, Any], where: str | None) -> None:
    message = complaint(environment={"PETSTORE_API_KEY_OF_ANOTHER": OWN}, **how)
    assert OWN not in message
    if where is not None:
        assert message == f"{where} contains the API key; remove it and put it into PETSTORE_API_KEY"


@pytest.mark.parametrize("word", [f"not {OWN}", f"-knot {OWN}", f"--html=/tmp/%4B{OWN[1:]}"])
def test_a_key_in_any_word_of_the_command_line_is_refused(word: str) -> None:
    expect_no_key_in_arguments(["petcheck", "-k", "LIST"], {KEY_VARIABLE: OWN})
    with pytest.raises(ConfigError) as refused:
        expect_no_key_in_arguments(["petcheck", word], {KEY_VARIABLE: OWN})
    assert str(refused.value) == "the command line contains the API key; remove it and put it into PETSTORE_API_KEY"


def test_a_configuration_shows_no_key() -> None:
    assert "k-123" not in repr(configured(target=[STAGING]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_characters="\0"), max_size=40))
def test_any_key_is_accepted_or_refused_in_one_line(secret: str) -> None:
    readable = secret.strip() != "" and all("!" <= character <= "~" for character in secret.strip())
    key: object = None
    try:
        (target,) = configure({"target": [STAGING]}, {"PETSTORE_API_KEY": secret}, today=TODAY, seed=1).targets
        key = target.source.key if isinstance(target.source, Url) else None
        refusal = None
    except ConfigError as error:
        refusal = str(error)
    if refusal is None:
        assert (readable, key) == (True, ApiKey(secret.strip()))
    else:
        assert refusal.isprintable()
        assert not readable or len(secret.strip()) <= len("X-RateLimit-Remaining")


def test_a_key_that_is_not_text_is_refused_in_one_line() -> None:
    message = complaint(
        target=[STAGING], environment={"PETSTORE_API_KEY": "0123456789\udcff", "PETSTORE_API_KEY_X": "ä" * 9}
    )
    assert message == "PETSTORE_API_KEY: a key must have only printable ASCII characters, and no spaces"


WORDS = (
    *("key", "1795", "name", "Pending", "categoryid", "json", "remaining", "petcheck", "pets1", "X-RateLimit-Limit-7"),
    *("pets", "store", "orders", "http", "https", "true", "limit", "retry-after"),
)


@pytest.mark.parametrize("secret", WORDS)
def test_a_key_whose_masking_would_damage_evidence_is_refused(secret: str) -> None:
    with pytest.raises(ConfigError, match=r"^PETSTORE_API_KEY: the key is too short or a word of the interface, .+$"):
        configure({"target": [STAGING]}, {"PETSTORE_API_KEY": secret}, today=TODAY, seed=1)


@pytest.mark.parametrize(
    ("options", "secret"),
    [
        ({"target": ["https://staging.example/v1"]}, "staging"),
        ({"target": ["https://h.example/shop/v1"]}, "shop1"),
        ({"app": "shop:app", "base_path": "/shop/v1"}, "shop"),
    ],
)
def test_a_key_that_is_a_word_of_its_targets_url_is_refused(options: dict[str, Any], secret: str) -> None:
    message = complaint(**options, environment={"PETSTORE_API_KEY": secret})
    assert message == (
        "PETSTORE_API_KEY: the key is part of the target's URL, and masking it would damage the evidence; "
        "use another one"
    )
