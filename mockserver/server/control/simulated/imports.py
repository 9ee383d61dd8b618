"""The private keys of imports that the mock cannot decrypt."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.domain.wallets.key_transfer import announce_keys
from mockserver.domain.wallets.keys.custody import address_of_secret
from mockserver.domain.wallets.keys.private_keys import BadKey, PrivateKey, parse_private_key
from mockserver.kernel.secrecy import Secret
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlBody, ListAnswer, ListQuery, invalid, list_answer
from mockserver.server.control.groups import ControlGroup
from mockserver.state.wallets import ChainType, Key

imports = ControlGroup("Imports")

PrivateKeyText = Annotated[Secret, Field(max_length=256)]


class AnnounceImports(ControlBody):
    """The keys of the next imports, in their order; they replace those announced before.

    An EVM key is 64 hexadecimal digits, a Solana key the base58 of its seed, or of seed and public key.
    """

    private_keys: Annotated[list[PrivateKeyText], Field(max_length=1000)]


class AnnouncedKeyAnswer(TypedDict):
    """A key that an import will bring."""

    chain_type: ChainType
    address: str


@imports.operation("PUT /imports", "AnnounceImports", errors.CONTROL_INVALID)
def put_imports(call: ControlCall[AnnounceImports]) -> ListAnswer[AnnouncedKeyAnswer]:
    """Announce private keys, which the mock cannot read from what clients encrypt for the real service."""
    keys: list[PrivateKey] = []
    for number, text in enumerate(call.body.private_keys):
        path = f"private_keys[{number}]"
        try:
            key = parse_private_key(text)
        except BadKey as error:
            raise invalid(path, f"is no private key: {error}") from None
        if key in keys:
            raise invalid(path, f"is the key of {key.address} again")
        keys.append(key)
    announce_keys(call.project, keys)
    return list_answer(ListQuery(), call.project.wallets.announced_keys, _announced_key_answer)


@imports.operation("GET /imports", "ListImports")
def list_imports(call: ControlCall[None, ListQuery]) -> ListAnswer[AnnouncedKeyAnswer]:
    """List the announced keys that no import has brought yet."""
    return list_answer(call.query, call.project.wallets.announced_keys, _announced_key_answer)


def _announced_key_answer(row: Key) -> AnnouncedKeyAnswer:
    return {"chain_type": row.chain_type, "address": address_of_secret(row.secret, row.chain_type)}
