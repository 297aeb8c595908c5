"""A request as one line for a POSIX shell, to send it again manually.

The line is printable ASCII, so no terminal, page or clipboard changes it. Everything is in single quotes except what is
secret, mainly the Authorization header: it is recorded as a shell expression (`Bearer $PETSTORE_API_KEY`) and put in
double quotes, so that the shell inserts the reader's own key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from petcheck.call import Form
from petcheck.exchange import Request, header_bytes
from petcheck.spec.figures import CONTENT_TYPE

BASE_VARIABLE = "PETSTORE_URL"
_EXPRESSION = re.compile(r"(?:[A-Za-z0-9 ,._~+/=:-]|\$[A-Z_][A-Z0-9_]*|\$\{[A-Z_][A-Z0-9_]*(?:[%#]\?+)?\})*")
_BEYOND_ASCII = re.compile(r"([^\x00-\x7f]+)")
# what is secret beside the key: a header, the path of a private key, the login of a proxy
_VARIABLE = re.compile(r"(?:http://)?\$PETSTORE_[A-Z0-9_]+(?:@[A-Za-z0-9.:\[\]-]+)?")
_PRINTABLE = re.compile(r"[ -~]*")
_RUN = re.compile(r"(.)\1{199,}", re.DOTALL)
# what printf reads otherwise, or does not print
_SPECIAL = re.compile(r"[^ -~]|[%\\']")
_WRITTEN = {"%": "%%", "\n": "\\n"}
# curl sends these itself; with Accept-Encoding the answer is unreadable in a terminal
_LEFT_TO_CURL = frozenset({"host", "content-length", "connection", "accept-encoding", "transfer-encoding"})
# the same in every request of a run, but for some forms
_CONSTANT = frozenset({"accept", "user-agent"})
_USUAL = frozenset(Form) - {Form.ANY_ACCEPT, Form.LOWER, Form.UPPER}


def curl_line(request: Request, *, short: bool = False, served: bool = False) -> str:
    """The command that sends `request` again: method, URL, headers and body byte for byte.

    `short` leaves out headers that are the same in every request of a run. `served` says that the run itself served
    the target: its address is gone, so `$PETSTORE_URL` stands for it.
    A body beyond printable ASCII comes from `printf` through a pipe, because an argument cannot hold a NUL. So does one
    with a long run of one character, which the line then only counts.
    """
    body = _text(request)
    if _PRINTABLE.fullmatch(body) and not _RUN.search(body):
        return f"curl {_arguments(request, ['--data-raw', _quoted(body)], short=short, served=served)}"
    return f"{_printing(body)} | curl {_arguments(request, ['--data-binary', '@-'], short=short, served=served)}"


def curl_in_turn(requests: Sequence[Request], *, short: bool = False, served: bool = False) -> str:
    """The command that sends requests one after the other on one connection; `short` and `served` as above.

    It is empty if a body cannot be an argument.
    """
    if not all(_is_argument(request) for request in requests):
        return ""
    each = (
        _arguments(request, ["--data-raw", _argument(_text(request))], short=short, served=served)
        for request in requests
    )
    return f"curl {' --next '.join(each)}"


def curl_burst(requests: Mapping[int, Request], *, served: bool = False) -> str:
    """The command that sends some requests at the same time, and then shows each response under the request's number.

    It is empty if a body cannot be an argument.
    """
    if not all(map(_is_argument, requests.values())):
        return ""
    each = [
        _arguments(request, ["--data-raw", _argument(_text(request))], served=served) + f" -o {number}"
        for number, request in requests.items()
    ]
    # in files, since responses that come at the same time mix on a screen
    first = '(cd "$(mktemp -d)" && curl --no-progress-meter --parallel --parallel-immediate'
    return " \\\n  ".join([first, " \\\n  --next ".join(each) + "; tail -n +1 *)"])


def _is_argument(request: Request) -> bool:
    """Whether the body can be an argument: not with a NUL, or a line feed at the end, which the shell takes away."""
    body = _text(request)
    return "\0" not in body and not body.endswith("\n")


def _text(request: Request) -> str:
    """The body, one character for each byte."""
    return (request.body or b"").decode("latin-1")


def _arguments(request: Request, data: list[str], *, short: bool = False, served: bool = False) -> str:
    """The arguments of curl for one request; `data` are those for its body."""
    words = ["-isS"]
    if re.search(r"[][{}]", request.url):
        words.append("-g")  # without it curl reads brackets as a range of URLs
    if "/." in request.url:
        words.append("--path-as-is")
    if request.method != ("GET" if request.body is None else "POST"):
        words += ["-X", request.method]
    for name, value in (
        *(("--cacert", request.reach.ca_bundle), ("--cert", request.reach.client_cert)),
        *(("--key", request.reach.client_key), ("--proxy", request.reach.proxy)),
    ):
        words += [name, _secret_or_quoted(value)] if value is not None else []
    base = _base_of(request) if served else ""
    words.append(f'"${BASE_VARIABLE}"' * bool(base) + _quoted(request.url.removeprefix(base)))
    constant = _CONSTANT if short and request.form in _USUAL else frozenset[str]()
    left_out = _LEFT_TO_CURL | constant
    for name, value in request.headers:
        if name.lower() not in left_out:
            words += ["-H", _header(name, value)]
    if request.form is Form.NO_ACCEPT:
        words += ["-H", _quoted("Accept:")]  # without it curl accepts anything
    if request.body is not None:
        if not any(name.lower() == CONTENT_TYPE.lower() for name, _ in request.headers):
            words += ["-H", _quoted(f"{CONTENT_TYPE}:")]  # without it curl adds the type of a web form
        words += data
    return " ".join(words)


def _base_of(request: Request) -> str:
    """The URL without the operation's path and without a query."""
    return request.url.partition("?")[0].rsplit("/", request.operation.path.count("/"))[0]


def _header(name: str, value: str) -> str:
    if not value:
        return _quoted(f"{name};")  # curl's way to send a header without a value
    is_key = name.lower() == "authorization"
    if _VARIABLE.fullmatch(value) or (is_key and _EXPRESSION.fullmatch(value)):
        return f'"{name}: {value}"'
    parts = _BEYOND_ASCII.split(value)
    if is_key and len(parts) > 1 and all(map(_EXPRESSION.fullmatch, parts[::2])):
        parts[1::2] = (f"$({_printing(header_bytes(part).decode('latin-1'))})" for part in parts[1::2])
        return f'"{name}: {"".join(parts)}"'
    return _quoted(f"{name}: {value}")


def _secret_or_quoted(text: str) -> str:
    return f'"{text}"' if _VARIABLE.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    return _argument(text.encode("utf-8", "surrogateescape").decode("latin-1"))


def _argument(text: str) -> str:
    """Text of one character per byte in quotes."""
    if _PRINTABLE.fullmatch(text) and not _RUN.search(text):
        return "'" + text.replace("'", "'\\''") + "'"
    return f'"$({_printing(text)})"'


def _printing(text: str) -> str:
    """The command that prints text of one character per byte."""
    commands, begin = [], 0
    for run in _RUN.finditer(text):
        if run.start() > begin:
            commands.append(f"printf {_octal(text[begin : run.start()])}")
        # printf uses its format once for each argument, and prints nothing of that
        commands.append(f"printf {_octal(run[1])[:-1]}%.0s' $(seq {len(run[0])})")
        begin = run.end()
    if begin < len(text) or not commands:
        commands.append(f"printf {_octal(text[begin:])}")
    return commands[0] if len(commands) == 1 else f"{{ {'; '.join(commands)}; }}"


def _octal(text: str) -> str:
    r"""A printf format in single quotes for text of one byte per character: `\NNN` for bytes beyond plain ASCII."""
    octal = _SPECIAL.sub(lambda found: _WRITTEN.get(found[0], f"\\{ord(found[0]):03o}"), text)
    return "'" + (f"\\055{octal[1:]}" if octal.startswith("-") else octal) + "'"  # not an option of printf
