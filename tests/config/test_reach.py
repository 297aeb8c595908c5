"""How a target is reached: each mistake is one line before anything is sent, and no message shows what is secret."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from petcheck.config.load import configure
from petcheck.config.options import Config
from petcheck.config.reach import reach_of, secrets_of, shown_headers
from petcheck.config.targets import TargetConfig
from petcheck.errors import ConfigError
from petcheck.exchange import Reach
from petcheck.wire.credentials import ApiKey, Header
from petcheck.wire.redaction import Redactor
from tests.config.configured import KEY, STAGING, TODAY, complaint, configured
from tests.support.certificates import issue, openssl
from tests.support.once import folder_made_once

SECRET = "s3cret-T0ken-Zq7v"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificates")
    shutil.copytree(folder_made_once("certificates", issue), folder, dirs_exist_ok=True)
    openssl("ec", "-in", "here.key", "-aes128", "-passout", "pass:x", "-out", "locked.key", cwd=folder)
    (folder / "text.pem").write_text("no certificate")
    (folder / "broken.pem").write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    return folder


def only(config: Config) -> TargetConfig:
    (target,) = config.targets
    return target


HEADERS: dict[str, tuple[str, str]] = {
    "no value": ("X-Environment", "--header: write it as NAME=VALUE in printable ASCII, as in X-Environment=blue"),
    "an empty value": ("X-Environment=", "--header: write it as NAME=VALUE"),
    "as curl has it": (f"X-Key: {SECRET}", "--header: write it as NAME=VALUE"),
    "as curl has it, with padding": (f"X-Key: {SECRET}==", "--header: write it as NAME=VALUE"),
    "no name": ("=blue", "--header: write it as NAME=VALUE"),
    "a name with a space": (f"X Key={SECRET}", "--header: write it as NAME=VALUE"),
    "two lines": (f"X-Key={SECRET}\r\nHost: other", "--header: write it as NAME=VALUE"),
    "a line feed at the end": (f"X-Key={SECRET}\n", "--header: write it as NAME=VALUE"),
    "beyond ASCII": (f"X-Key={SECRET}é", "--header: write it as NAME=VALUE in printable ASCII"),
    "another variable": ("X-Key=$HOME", "--header X-Key: petcheck reads only variables that begin with PETSTORE_"),
    "a variable that is not set": ("X-Key=$PETSTORE_NOT", "--header: PETSTORE_NOT is not set; put the value into it"),
    "the variable of the API key": ("X-Key=$PETSTORE_API_KEY", "--header: PETSTORE_API_KEY contains the API key"),
    **{
        name: (f"{name}={SECRET}", f"--header {name}: petcheck sets it itself, or it changes what requests mean; leave")
        for name in (
            *("Authorization", "proxy-authorization", "HOST", "Content-Length", "Content-Type", "Accept", "Connection"),
            *("Transfer-Encoding", "Accept-Encoding", "User-Agent", "If-None-Match", "Range", "traceparent", "Expect"),
            *("X-HTTP-Method-Override", "X-Method-Override", "Idempotency-Key", "TE", "Prefer"),
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("case", HEADERS)
def test_a_header_that_cannot_be_sent(case: str) -> None:
    given, expected = HEADERS[case]
    message = complaint(target=[STAGING], header=[given])
    assert message.startswith(expected)
    assert SECRET not in message


def test_a_header_is_given_once() -> None:
    message = complaint(target=[STAGING], header=["X-Env=a", f"x-env={SECRET}"])
    assert message == "--header x-env: is given twice; give it once"


def test_no_header_holds_the_api_key() -> None:
    environment = {"PETSTORE_API_KEY": "k-12345678", "PETSTORE_COPY": "Bearer k-12345678"}
    with pytest.raises(ConfigError, match=r"^--header contains the API key; remove it"):
        configured(target=[STAGING], header=["X-Key=k-12345678"], environment=environment)
    with pytest.raises(ConfigError, match=r"^--header: PETSTORE_COPY contains the API key, which goes nowhere else$"):
        configured(target=[STAGING], header=["X-Copy=$PETSTORE_COPY"], environment=environment)


def test_secret_values_are_variables_in_what_is_recorded() -> None:
    given = ["X-Env=blue", f"X-Gateway-Key={SECRET}", "X-Other=$PETSTORE_OTHER", f"Cookie=session={SECRET}; theme=dark"]
    config = configured(target=[STAGING], header=given, environment=KEY | {"PETSTORE_OTHER": "o-1234567"})
    recorded = [
        "X-Env=blue",
        "X-Gateway-Key=$PETSTORE_HEADER_X_GATEWAY_KEY",
        "X-Other=$PETSTORE_OTHER",
        "Cookie=$PETSTORE_HEADER_COOKIE",
    ]
    target = only(config)
    assert target.headers[2] == Header("X-Other", "o-1234567", "$PETSTORE_OTHER")
    assert config.given["header"] == recorded == list(shown_headers(target))
    assert SECRET not in repr(config)
    masked = Redactor(ApiKey("k-123"), *secrets_of(target)).in_text(f"blue {SECRET} o-1234567 theme=dark")
    assert masked == "blue [redacted-key] [redacted-key] theme=dark"


@pytest.mark.parametrize("short", ["X-Session=1", "X-Key-Version=222", "X-Auth-Kind=sold", "X-Pin-Code=4711"])
def test_a_secret_that_would_damage_the_evidence_is_hidden_in_its_place_only(short: str) -> None:
    target = only(configured(target=[STAGING], header=[short]))
    assert list(secrets_of(target)) == []
    assert shown_headers(target)[0].partition("=")[2].startswith("$PETSTORE_HEADER_X_")


PROXIES = {
    "another scheme": "socks5://proxy:1080",
    "TLS": "https://proxy:3128",
    "no port": "http://proxy",
    "no scheme": "proxy:3128",
    "a path": "http://proxy:3128/x",
    "a large port": "http://proxy:99999",
    "a space": "http://pro xy:3128",
    "a line": "http://proxy:3128\nx",
}


@pytest.mark.parametrize("case", PROXIES)
def test_a_proxy_that_is_not_one(case: str) -> None:
    message = complaint(target=[STAGING], proxy=PROXIES[case].replace("://", f"://ann:{SECRET}@"))
    assert message.startswith("--proxy ")
    assert message.endswith(": write it as http://host:port, or http://$PETSTORE_PROXY_LOGIN@host:port")
    assert SECRET not in message


def test_the_login_of_a_proxy_is_a_variable_in_what_is_recorded() -> None:
    direct = configured(target=[STAGING], proxy=f"http://ann:{SECRET}%2F@proxy:3128/")
    environment = KEY | {"PETSTORE_PROXY_LOGIN": f"ann:{SECRET}%2F"}
    by_name = configured(target=[STAGING], proxy="http://$PETSTORE_PROXY_LOGIN@proxy:3128", environment=environment)
    for config in (direct, by_name):
        target = only(config)
        assert target.proxy == f"http://ann:{SECRET}%2F@proxy:3128"
        assert config.given["proxy"] == reach_of(target, None).proxy == "http://$PETSTORE_PROXY_LOGIN@proxy:3128"
        assert list(secrets_of(target)) == [f"ann:{SECRET}/", f"{SECRET}/"]
        assert SECRET not in repr(config)
    assert configured(target=[STAGING], proxy="http://proxy:3128").given["proxy"] == "http://proxy:3128"


def test_no_proxy_elsewhere_gets_the_key_unencrypted() -> None:
    local = ["http://127.0.0.1:8080/v1"]
    message = complaint(target=local, proxy="http://proxy.example:3128")
    assert message == (
        "--proxy: the key would be sent unencrypted to the proxy; use https, or allow it with --insecure-http"
    )
    assert only(configured(target=local, proxy="http://127.0.0.1:3128")).proxy is not None
    assert only(configured(target=local, proxy="http://proxy.example:3128", insecure_http=True)).proxy is not None


CERTIFICATES: dict[str, tuple[str | None, str | None, str]] = {
    "no certificate file": ("none.pem", "here.key", "none.pem: cannot be read (No such file or directory); give"),
    "no key file": ("here.pem", "none.key", "--client-key: cannot be read (No such file or directory); give"),
    "a folder": (".", "here.key", ": cannot be read (Is a directory)"),
    "no certificate in it": ("text.pem", "here.key", "text.pem: contains no certificate; give a PEM file"),
    "no key in it": ("here.pem", "text.pem", "--client-key: contains no private key; give the PEM file that has it"),
    "no key at all": ("here.pem", None, "here.pem: contains no private key; give the PEM file that has it to"),
    "another key": ("here.pem", "ca.key", "here.pem: the private key belongs to another certificate; give"),
    "an encrypted key": ("here.pem", "locked.key", "--client-key: the private key is encrypted; give it unencrypted"),
    "broken": ("broken.pem", "here.key", "broken.pem: is not valid PEM; give a certificate and its own key"),
    "a key alone": (None, "here.key", "--client-key: goes with --client-cert; give both"),
}  # fmt: skip


@pytest.mark.parametrize("case", CERTIFICATES)
def test_a_certificate_that_cannot_be_shown(case: str, certificates: Path) -> None:
    certificate, key, expected = CERTIFICATES[case]
    files = {"client_cert": certificate, "client_key": key}
    message = complaint(target=[STAGING], **{n: str(certificates / name) for n, name in files.items() if name})
    assert expected in message
    assert str(certificates / str(key)) not in message


def test_the_path_of_a_private_key_is_in_nothing_that_is_recorded(certificates: Path) -> None:
    certificate, key = str(certificates / "here.pem"), str(certificates / "here.key")
    environment = KEY | {"PETSTORE_CLIENT_KEY": key}
    for given in (key, "$PETSTORE_CLIENT_KEY"):
        config = configured(target=[STAGING], client_cert=certificate, client_key=given, environment=environment)
        assert only(config).client_key == Path(key)
        assert config.given["client-key"] == "$PETSTORE_CLIENT_KEY"
        assert reach_of(only(config), "ca.pem") == Reach("ca.pem", certificate, "$PETSTORE_CLIENT_KEY")
        assert key not in repr(config)


@pytest.mark.parametrize("served", [{"app": "shop:app"}, {"self_test": True}])
@pytest.mark.parametrize("way", [{"proxy": "http://proxy:3128"}, {"client_cert": "c.pem"}, {"client_key": "c.key"}])
def test_what_the_run_itself_serves_is_reached_directly(served: dict[str, Any], way: dict[str, str]) -> None:
    (name,) = way
    message = complaint(**served, **way)
    assert message == f"--{name.replace('_', '-')} goes with --target; the run itself serves this server"


def test_a_default_way_is_not_for_what_the_run_itself_serves() -> None:
    Path("petcheck.toml").write_text('[defaults]\nproxy = "http://proxy:3128"\nheader = ["X-Env=blue"]\n')
    target = only(configure({"app": "shop:app"}, KEY, today=TODAY, seed=1))
    assert (target.proxy, [one.name for one in target.headers]) == (None, ["X-Env"])


def test_a_target_has_its_own_way_before_the_defaults() -> None:
    config = configured(
        """
        [targets.blue]
        url = "https://a.example/v1"
        header = ["X-Env=blue", "X-Key=$PETSTORE_BLUE"]
        proxy = "http://a:1"
        [targets.green]
        url = "https://b.example/v1"
        [defaults]
        header = "X-Env=any"
        traceparent = true
        """,
        environment=KEY | {"PETSTORE_BLUE": SECRET},
    )
    blue, green = config.targets
    assert [one.value for one in blue.headers] == ["blue", SECRET]
    assert ([one.value for one in green.headers], green.proxy, config.traceparent) == (["any"], None, True)
    assert complaint('[targets.a]\nurl = "https://a/v1"\nheader = ["Host=x"]').startswith(
        "petcheck.toml: [targets.a] header Host: petcheck sets it itself"
    )
