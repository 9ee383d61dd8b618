// What viem makes of the cases of a kind. A line of JSON asks, `{ kind, cases }`, and a line of JSON answers.

import { createInterface } from "node:readline";

import {
  concat,
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionData,
  decodeFunctionResult,
  encodeDeployData,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionData,
  encodeFunctionResult,
  getAddress,
  getContractAddress,
  hashMessage,
  hashTypedData,
  keccak256,
  parseAbiItem,
  serializeTransaction,
  toEventSelector,
  toFunctionSelector,
} from "viem";
import { entryPoint08Abi, getUserOperationHash, getUserOperationTypedData } from "viem/account-abstraction";
import { privateKeyToAccount } from "viem/accounts";
import { encodeExecuteData } from "viem/experimental/erc7821";
import { hashAuthorization, recoverAuthorizationAddress } from "viem/utils";
import {
  chainConfig,
  getApprovalBasedPaymasterInput,
  getGeneralPaymasterInput,
  parseEip712Transaction,
  serializeTransaction as serializeZkSyncTransaction,
} from "viem/zksync";

// Of entry point 0.9, which this viem does not know: the mark that a hash has in place of the paymaster's signature.
const PAYMASTER_SIGNATURE = keccak256(new TextEncoder().encode("PaymasterSignature")).slice(0, 18);
const AMOUNTS = /^(nonce|.*(Gas|GasLimit))$/;

const amounts = (shape) => Object.fromEntries(Object.entries(shape).map(([name, value]) => [name, AMOUNTS.test(name) ? BigInt(value) : value]));

const authorizations = (list) =>
  list.map((each) => ({ ...each, chainId: Number(each.chainId), nonce: Number(each.nonce), yParity: Number(each.yParity) }));

const transaction = ({ authorizationList, chainId, nonce, ...rest }) => ({
  ...rest,
  ...(authorizationList && { authorizationList: authorizations(authorizationList) }),
  ...(chainId !== undefined && { chainId: Number(chainId) }),
  nonce: Number(nonce),
});

/** Values as lists: the components of a tuple have an order, whether they have names or not. */
function listed(value) {
  if (value === null || typeof value !== "object") return value;
  return Object.values(value).map(listed);
}

/** A value as Solidity programmers write it. */
function written(param, value) {
  const array = /^(.*)\[\d*\]$/.exec(param.type);
  if (array) return `[${value.map((item) => written({ ...param, type: array[1] }, item)).join(", ")}]`;
  if (param.type === "tuple") return `(${listed(value).map((item, i) => written(param.components[i], item)).join(", ")})`;
  return param.type === "string" ? JSON.stringify(value) : String(value);
}

const judges = {
  userOperation({ shape, version, entryPoint, chainId, delegate }) {
    const { paymasterSignature, ...fields } = shape;
    const userOperation = { ...amounts(fields), ...(delegate && { authorization: { address: delegate } }) };
    if (version !== "0.9")
      return getUserOperationHash({ chainId: Number(chainId), entryPointAddress: entryPoint, entryPointVersion: version, userOperation });
    if (paymasterSignature) userOperation.paymasterData = concat([userOperation.paymasterData, PAYMASTER_SIGNATURE]);
    return hashTypedData(getUserOperationTypedData({ chainId: Number(chainId), entryPointAddress: entryPoint, userOperation }));
  },

  async authorization({ secret, authorization }) {
    const [unsigned] = authorizations([authorization]);
    const { r, s, yParity } = await privateKeyToAccount(secret).signAuthorization(unsigned);
    return {
      hash: hashAuthorization(unsigned),
      authority: await recoverAuthorizationAddress({ authorization: unsigned }),
      signature: { r, s, yParity },
    };
  },

  async transaction({ secret, fields }) {
    const tx = transaction(fields);
    const unsigned = serializeTransaction(tx);
    const signed = await privateKeyToAccount(secret).signTransaction(tx);
    return { unsigned, digest: keccak256(unsigned), signed, hash: keccak256(signed) };
  },

  async zkSyncTransaction({ secret, fields, flow }) {
    const paymasterInput = flow && (flow.token ? getApprovalBasedPaymasterInput(flow) : getGeneralPaymasterInput(flow));
    const tx = { ...transaction(fields), type: "eip712", ...(flow && { paymasterInput }) };
    const typedData = chainConfig.custom.getEip712Domain(tx);
    const customSignature = await privateKeyToAccount(secret).signTypedData(typedData);
    const signed = serializeZkSyncTransaction({ ...tx, customSignature });
    return {
      digest: hashTypedData(typedData),
      unsigned: serializeZkSyncTransaction(tx),
      signed,
      // viem leaves this to the node: what was signed and the hash of the signature, hashed together.
      hash: keccak256(concat([hashTypedData(typedData), keccak256(parseEip712Transaction(signed).customSignature)])),
    };
  },

  call({ abi, name, args, results }) {
    const data = encodeFunctionData({ abi, functionName: name, args });
    const answer = encodeFunctionResult({ abi, functionName: name, result: results.length === 1 ? results[0] : results });
    const found = decodeFunctionResult({ abi, functionName: name, data: answer });
    return {
      data,
      args: listed(decodeFunctionData({ abi, data }).args ?? []),
      answer,
      results: listed(results.length === 1 ? [found] : (found ?? [])),
    };
  },

  deployment: ({ abi, bytecode, args }) => encodeDeployData({ abi, bytecode, args }),

  signature({ text }) {
    const item = parseAbiItem(text);
    return item.type === "event" ? toEventSelector(item) : toFunctionSelector(item);
  },

  event: ({ abi, name, args }) => encodeEventTopics({ abi, eventName: name, args }),

  userOperationEvent({ topics, data }) {
    const { eventName, args } = decodeEventLog({ abi: entryPoint08Abi, topics, data });
    return { eventName, args };
  },

  error: ({ abi, name, args }) => encodeErrorResult({ abi, errorName: name, args }),

  revert({ abi, data }) {
    const { abiItem, args, errorName } = decodeErrorResult({ abi, data });
    return { name: errorName, args: args ?? [], text: `${errorName}(${(args ?? []).map((each, i) => written(abiItem.inputs[i], each)).join(", ")})` };
  },

  batch: ({ calls }) => encodeExecuteData({ calls }),

  async typedData({ secret, document }) {
    return { digest: hashTypedData(document), signature: await privateKeyToAccount(secret).signTypedData(document) };
  },

  async message({ secret, message }) {
    return { digest: hashMessage(message), signature: await privateKeyToAccount(secret).signMessage({ message }) };
  },

  create2: ({ from, salt, bytecodeHash }) => getContractAddress({ opcode: "CREATE2", from, salt, bytecodeHash }),

  address: ({ secret, address }) => ({ spelt: getAddress(address), own: privateKeyToAccount(secret).address }),
};

// JSON has no integers of 256 bits: they travel as `{ "$int": "..." }`, both ways.
const revived = (_, value) => (value?.$int === undefined ? value : BigInt(value.$int));
const tagged = (_, value) => (typeof value === "bigint" || typeof value === "number" ? { $int: String(value) } : value);

async function judged(judge, given) {
  try {
    return { found: await judge(given) };
  } catch (error) {
    return { error: error?.stack ?? String(error) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { kind, cases } = JSON.parse(line, revived);
  const answers = [];
  for (const given of cases) answers.push(await judged(judges[kind], given));
  console.log(JSON.stringify(answers, tagged));
}
