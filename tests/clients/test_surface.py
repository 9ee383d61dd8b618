"""Every method of the official clients is called by a flow, or it is said here why not.

So a new version's new method is noticed, and so is a method that flows have come to call.
"""

import re

import pytest

from tests.clients.conftest import Played
from tests.clients.editions import Edition, editions
from tests.evidence import assert_shown, evidence
from tests.tables import cases

pytestmark = pytest.mark.clients

_ABSENT = "the mock does not have it, as the fidelity page says"
_IFRAME = "asks the iframe of a browser's page"
_INTERNAL = "is called by other methods, which the flows call"
_GONE = "is no longer in the service, and not in the specification"

# By client: a pattern of methods, the versions it is about, and the reason.
UNCALLED = {
    "node": [
        (r"accounts\.solana\.backend\.(sendTransaction|sendRawTransaction|transfer)", r"0\.10\..*", _ABSENT),
        (r"pregenerateUser(Multi)?|createAuthPlayerWithShield|preRegisterWithShield", r".*", _INTERNAL),
        (r"accounts\.v1\.(cancelTransferOwnership|signPayload|sync|deploy)", r"0\.7\.7", _GONE),
        (r"accounts\.v1\.(start|complete)Recovery|iam\.v1\.authorize", r"0\.7\.7", _GONE),
    ],
    "js": [
        (r"embeddedWallet\.(create|import|recover|configure)", r".*", _IFRAME),
        (r"embeddedWallet\.(exportPrivateKey|setRecoveryMethod)", r".*", _IFRAME),
        (r"embeddedWallet\.(ping|getURL|setMessagePoster|onMessage|isReady)", r".*", _IFRAME),
        (r"embeddedWallet\.(watchEmbeddedState|getPasskeyKey|getEntropy)", r".*", _IFRAME),
        (r"embeddedWallet\.(get|create)(Iframe.*|Signer)|embeddedWallet\.flush.*", r".*", _IFRAME),
        (r"proxy\.getSignerSignFunction", r".*", _INTERNAL),
    ],
}
CLIENTS = [edition for edition in editions() if edition.client in UNCALLED]


def reasons(edition: Edition) -> dict[str, str]:
    """Why methods of a version are not called, by patterns of their paths."""
    return {
        path: reason
        for path, versions, reason in UNCALLED[edition.client]
        if re.fullmatch(versions, edition.version)
    }


@cases("edition", *CLIENTS, ids=str)
def test_every_method_is_called_or_there_is_a_reason(played: dict[Edition, Played], edition: Edition) -> None:
    methods = played[edition].methods
    assert methods

    known = re.compile("|".join(reasons(edition)))
    uncalled = [name for name, called in methods.items() if not called and not known.fullmatch(name)]
    assert uncalled == []


@cases("edition", *CLIENTS, ids=str)
def test_no_called_method_has_a_reason(played: dict[Edition, Played], edition: Edition) -> None:
    methods = played[edition].methods
    needless = [
        path
        for path in reasons(edition)
        if not any(re.fullmatch(path, name) and not called for name, called in methods.items())
    ]
    assert needless == []


@cases("edition", *(each for each in CLIENTS if each.installed == each.package), ids=str)
def test_the_ledger_lists_the_operations_that_were_shown(
    played: dict[Edition, Played], edition: Edition
) -> None:
    name = f"{edition.client}-sdk"
    assert evidence(name).version == edition.version
    assert_shown(name, played[edition].asked)
