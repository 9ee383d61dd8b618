export interface paths {
    "/_mock/projects/{p}/journal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["ListJournal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_mock/projects/{p}/outbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["ListOutbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_mock/projects/{p}/webhooks/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["ListDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An account, as the specification's Account (v2). */
        AccountAnswer: {
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /** @description The id of the wallet, `pla_...`. */
            wallet: string;
            /**
             * @description The kind of account.
             * @enum {string}
             */
            accountType: "Externally Owned Account" | "Smart Account" | "Delegated Account";
            /** @description The address on the chain. */
            address: string;
            /** @description The address whose key controls the account. */
            ownerAddress?: string;
            /**
             * @description EVM or SVM (Solana).
             * @enum {string}
             */
            chainType: "EVM" | "SVM";
            /** @description The chain that it is on; absent when it is on every chain of its type. */
            chainId?: number;
            /** @description When it was created, in seconds since 1970. */
            createdAt: number;
            /** @description When it was last changed, in seconds since 1970. */
            updatedAt: number;
            /** @description The contract of a smart or delegated account; absent for others. */
            smartAccount?: components["schemas"]["SmartAccountAnswer"];
            /** @description How the user recovers the key; only in the custody of the user. */
            recoveryMethod?: string;
            /** @description The passkey that recovers the key; only with a passkey. */
            recoveryMethodDetails?: components["schemas"]["RecoveryDetails"];
            /**
             * @description Who holds the key, `Developer` or `User`.
             * @enum {string}
             */
            custody: "Developer" | "User";
        };
        /** @description The state of an address on a chain; amounts are decimal strings of wei. */
        AddressAnswer: {
            /** @description The EVM chain id. */
            chain_id: number;
            /** @description The address on the chain. */
            address: string;
            /** @description The balance in wei. */
            balance_wei: string;
            /** @description What pending transactions may still cost. */
            reserved_wei: string;
            /** @description How many transactions it has sent. */
            nonce: number;
            /** @description Its nonce at the entry point. */
            operation_nonce: number;
            /** @description The contract that its code is delegated to (EIP-7702). */
            delegate: string | null;
            /** @description Whether there is code at the address, executed or simulated. */
            deployed: boolean;
            /** @description The code that is executed when it is called, `0x` if there is none. */
            code: string;
            /** @description The slots of its storage that are not 0. */
            storage: {
                [key: string]: string;
            };
            /** @description The balances of tokens. */
            tokens: components["schemas"]["TokenBalanceAnswer"][];
        };
        /** @description How far to advance: by seconds, or to a time. */
        Advance: {
            /**
             * @description How many seconds to advance.
             * @default null
             */
            seconds: number | null;
            /**
             * @description The time to advance to.
             * @default null
             */
            to: string | null;
        };
        /** @description The new time, and the timers that fired, in order. */
        AdvanceAnswer: {
            /** @description The project's time. */
            now: string;
            /** @description The timers that fired, in order. */
            fired: components["schemas"]["FiredAnswer"][];
        };
        /**
         * @description The keys of the next imports, in their order; they replace those announced before.
         *
         *     An EVM key is 64 hexadecimal digits, a Solana key the base58 of its seed, or of seed and public key.
         */
        AnnounceImports: {
            /** @description The private keys, as text. */
            private_keys: string[];
        };
        /** @description A key that an import will bring. */
        AnnouncedKeyAnswer: {
            /**
             * @description EVM or SVM (Solana).
             * @enum {string}
             */
            chain_type: "EVM" | "SVM";
            /** @description The address on the chain. */
            address: string;
        };
        /** @description A session, and whether it passed multi-factor authentication. */
        AssuranceAnswer: {
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /** @description The user. */
            user: string;
            /** @description Whether it passed multi-factor authentication. */
            aal2: boolean;
        };
        /** @description An attempt to deliver. */
        AttemptAnswer: {
            /** @description When it happened, in ISO 8601. */
            at: string;
            /**
             * @description Whether it was done.
             * @enum {string}
             */
            status: "success" | "failed";
            /** @description The status that the receiver answered; null without an answer. */
            answered: number | null;
            /** @description What went wrong. */
            error: string | null;
            /** @description How it ended; absent until it is on the chain. */
            response: string;
        };
        /** @description An error of the sign-in endpoints. */
        AuthError: {
            /** @description The code of the error, for programs. */
            code: string;
            /** @description What went wrong, for people. */
            message: string;
        };
        /** @description The same, with the members of an error of the sign-in endpoints. */
        AuthProblem: {
            /** @description `urn:mockserver:` and the code of the error. */
            type: string;
            /** @description The code in words. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What went wrong, for people. */
            detail: string;
            /** @description Where the server shows the operation, with everything that it takes and answers. */
            docs?: string;
            /** @description The path of the member that is wrong. */
            param?: string;
            /** @description What is wrong with each member, by its path. */
            errors?: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
            /** @description The code of the error, for programs. */
            code: string;
            /** @description What went wrong, for people. */
            message: string;
        };
        /** @description The encryption part that the developer has. */
        BeginEncryption: {
            /** @description The part of the key of encryption that the developer has. */
            encryption_part: string;
        };
        /** @description A block with its transactions, in their order. */
        BlockAnswer: {
            /** @description The number of the latest block. */
            block_number: number;
            /** @description The hash of the latest block. */
            block_hash: string;
            /** @description When it was created, in ISO 8601. */
            created_at: string;
            /** @description The gas that was used. */
            gas_used: number;
            /** @description The transactions. */
            transactions: components["schemas"]["BlockTransactionAnswer"][];
        };
        /** @description A transaction in a block. */
        BlockTransactionAnswer: {
            /** @description The transaction of the API that it is of. */
            id: string;
            /** @description The hash of the transaction. */
            transaction_hash: string;
            /** @description The address that sends it. */
            sender: string;
            /** @description The address that is called; null where a contract is created. */
            to: string | null;
            /** @description The native coins that it moves, in wei. */
            value_wei: string;
            /** @description Whether it was done. */
            status: string;
            /** @description The gas that was used. */
            gas_used: number;
        };
        /** @description The budget of a sponsorship; amounts are decimal strings of wei. */
        BudgetAnswer: {
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /** @description The most that it pays for gas. */
            budget_wei: string | null;
            /** @description What it has paid. */
            spent_wei: string;
            /** @description What pending transactions may still cost. */
            reserved_wei: string;
            /** @description What is left of the budget. */
            left_wei: string | null;
            /** @description How many transactions it has paid for. */
            transactions: number;
            /** @description What it was paid back in tokens. */
            collected: components["schemas"]["CollectedTokenAnswer"][];
        };
        /** @description Which calls are meant, as in the `when` of a rule. All of it must hold; every call without any. */
        CallMatcher: {
            /** @description An operation id, or a method and a path, or a list of which any will do. */
            call?: string | string[];
            /** @description Headers of the request by name: a value, or `equals`, `contains`, `matches` and `present`. */
            headers?: {
                [key: string]: unknown;
            };
            /** @description Members of the query by name, in the same way. */
            query?: {
                [key: string]: unknown;
            };
            /** @description Values in the body by path, such as `calls[0].to`, in the same way. */
            body?: {
                [key: string]: unknown;
            };
        };
        /** @description The current state of a chain; amounts are decimal strings of wei. */
        ChainAnswer: {
            /** @description The EVM chain id. */
            chain_id: number;
            /** @description The name of the chain, if it is known. */
            name: string | null;
            /** @description The number of the latest block. */
            block_number: number;
            /** @description The hash of the latest block. */
            block_hash: string;
            /** @description The base fee of a unit of gas (EIP-1559). */
            base_fee_wei: string;
            /** @description The priority fee of a unit of gas. */
            priority_fee_wei: string;
            /** @description The address of the project's paymaster. */
            paymaster: string;
            /** @description What is left of the project's deposit for gas. */
            paymaster_deposit_wei: string;
            /** @description The address to which gas fees are paid. */
            fee_recipient: string;
        };
        /** @description The latest block of a chain; numbers in hexadecimal. */
        ChainBlockAnswer: {
            /** @description Its number. */
            number: string;
            /** @description Its time in seconds since the Unix epoch. */
            timestamp: string;
            /** @description The address to which gas fees are paid. */
            coinbase: string;
        };
        /** @description A dump; what else it has is passed over. */
        ChainDump: {
            /** @description The accounts by address, as Anvil and `geth dump` write them. */
            accounts?: {
                [key: string]: components["schemas"]["DumpedAccount"];
            };
            /** @description The accounts of a genesis file. */
            alloc?: {
                [key: string]: components["schemas"]["DumpedAccount"];
            };
        };
        /** @description The prices of gas and of the coin of a chain; None keeps the default. */
        ChainSettings: {
            /**
             * @description The base fee of a unit of gas (EIP-1559).
             * @default null
             */
            base_fee_wei: number | null;
            /**
             * @description The priority fee of a unit of gas.
             * @default null
             */
            priority_fee_wei: number | null;
            /**
             * @description The price of a unit of L1 gas, for rollups.
             * @default null
             */
            l1_gas_price_wei: number | null;
            /**
             * @description The price of the chain's native coin.
             * @default null
             */
            native_price_usd: string | null;
        };
        /** @description The state of a chain in the form of Anvil's dumps. */
        ChainStateAnswer: {
            /** @description The latest block, by the project's clock. */
            block: components["schemas"]["ChainBlockAnswer"];
            /** @description The accounts by address. */
            accounts: {
                [key: string]: components["schemas"]["DumpedAccount"];
            };
        };
        /** @description The time that the clock shows, its mode, and how many times as fast as real time it ticks. */
        ClockAnswer: {
            /** @description The project's time. */
            now: string;
            /**
             * @description Whether the clock is frozen or ticks.
             * @enum {string}
             */
            mode: "frozen" | "ticking";
            /** @description How many times as fast as real time the clock ticks. */
            rate: number;
        };
        /** @description A token in which accounts reimbursed a sponsorship. */
        CollectedTokenAnswer: {
            /** @description The EVM chain id. */
            chain_id: number;
            /** @description The address of the token. */
            token: string;
            /** @description An amount in the token's smallest unit. */
            amount: string;
        };
        /** @description What was there before a test, and the keys that it has. */
        CountedCalls: {
            /** @description How many `calls` each project had answered that an undeclared key opened, by its `secret_key`. */
            before?: {
                [key: string]: number;
            };
            /** @description The keys of the test: the nearest of them is named. */
            keys?: string[];
        };
        /**
         * @description A project to create; every member is optional. A given key determines the name and the mode.
         *
         *     Members of `clock` that are missing are as in the server's other projects. A clock that is to be frozen
         *     where those tick from the real time shows the beginning of 2026.
         */
        CreateProject: {
            /**
             * @description The name.
             * @default null
             */
            name: string | null;
            /**
             * @description Whether the project is in live mode.
             * @default null
             */
            livemode: boolean | null;
            /**
             * @description What all randomness is derived from.
             * @default null
             */
            seed: string | null;
            /**
             * @description The secret key.
             * @default null
             */
            secret_key: string | null;
            /**
             * @description The publishable key of the project.
             * @default null
             */
            publishable_key: string | null;
            /**
             * @description What the key or token may do; an empty list means everything.
             * @default null
             */
            scopes: string[] | null;
            /**
             * @description The settings that differ from their defaults.
             * @default null
             */
            settings: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The clock.
             * @default null
             */
            clock: components["schemas"]["SetClock"] | null;
        };
        /** @description A criterion: the value it observed, whether it matched, and why. */
        CriterionTrace: {
            /** @description Which kind it is. */
            type: string;
            /** @description How it compares. */
            operator: string;
            /** @description Whether it matched. */
            matched: boolean;
            /** @description What it was compared with. */
            observed: unknown;
            /** @description Why, in one sentence. */
            reason: string;
        };
        /**
         * @description Whether an operation is allowed, which rule decided (null: none), and every policy in order.
         *
         *     The control API answers it as it is.
         */
        Decision: {
            /** @description Whether it is allowed. */
            allowed: boolean;
            /** @description Why, in one sentence. */
            reason: string;
            /** @description The id of the policy that decided, or null. */
            policy_id: string | null;
            /** @description The id of the rule that decided, or null. */
            rule_id: string | null;
            /** @description Every policy, in the order in which they are asked. */
            policies: components["schemas"]["PolicyTrace"][];
        };
        /** @description The decisions when a transaction was created or submitted, and the payment for its gas. */
        DecisionsAnswer: {
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /** @description The decision about each call, up to the first that is not allowed; empty if no policy applies. About a Solana transaction there is one. */
            sending: components["schemas"]["Decision"][];
            /** @description Null if no sponsorship was requested. */
            sponsoring: components["schemas"]["Sponsoring"] | null;
            /** @description Null until it is mined, and for a Solana transaction. */
            paid: components["schemas"]["PaymentAnswer"] | null;
        };
        /** @description What every DELETE of the control API answers: how many entries it deleted. */
        DeletedAnswer: {
            /** @description How many were deleted. */
            deleted: number;
        };
        /** @description Which deliveries are sent at once that wait. */
        DeliverNow: {
            /**
             * @description The id of one; every one unless it is given.
             * @default null
             */
            id: string | null;
        };
        /** @description A delivery, as it is or would be sent. */
        DeliveryAnswer: {
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /** @description When the change happened. */
            at: string;
            /** @description What it is about. */
            topic: string;
            /** @description The id of what it is about. */
            resource: string;
            /** @description The id of the subscription, `sub_...`. */
            subscription: string;
            /** @description The id of the trigger, `tri_...`. */
            trigger: string;
            /**
             * @description Which kind it is.
             * @enum {string}
             */
            type: "webhook" | "email";
            /** @description The URL of a webhook, or an e-mail address. */
            target: string;
            /**
             * @description `held` is not sent: its host is not one that webhooks are sent to.
             * @enum {string}
             */
            status: "waiting" | "due" | "held" | "lost" | "succeeded" | "failed";
            /** @description When it is sent; null unless it waits for a time. */
            due: string | null;
            /** @description What becomes of it on purpose. */
            fate: ("lost" | "late" | "twice" | "reordered" | "corrupted" | "answered") | null;
            /** @description What `body` says. */
            payload: {
                [key: string]: unknown;
            };
            /** @description What is sent. */
            body: string;
            /** @description Headers for the request that verifies a token. */
            headers: {
                [key: string]: string;
            };
            /** @description Whether the signature is that of what is sent. */
            verified: boolean;
            /** @description The attempts to deliver it, oldest first. */
            attempts: components["schemas"]["AttemptAnswer"][];
        };
        /** @description What becomes of deliveries to come. */
        DeliveryFateAnswer: {
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /** @description When it was created, in ISO 8601. */
            created_at: string;
            /**
             * @description What becomes of the transaction.
             * @enum {string}
             */
            outcome: "lost" | "late" | "twice" | "reordered" | "corrupted" | "answered";
            /** @description What it is about. */
            topic: string | null;
            /** @description The URL of a webhook, or an e-mail address. */
            target: string | null;
            /** @description How many more it takes; null for every one. */
            count: number | null;
            /** @description With which delivery to come it begins. */
            nth: number;
            /** @description After how many milliseconds it happens. */
            after_ms: number | null;
            /** @description Whether it was done. */
            status: number | null;
        };
        /** @description A contract to create: as compiled, or its creation code with an ABI. */
        DeployContract: {
            /** @description The addresses of the libraries that it is linked to, by their names. */
            libraries?: {
                [key: string]: string;
            };
            /** @description The ABI, without an artifact. */
            abi?: {
                [key: string]: unknown;
            }[];
            /** @description The arguments of the constructor. */
            args?: unknown[];
            /**
             * @description What Foundry, Hardhat or solc wrote. In a scenario file the path of the file, relative to it. With the text of the source file as its member `source`, failures name their lines.
             * @default null
             */
            artifact: {
                [key: string]: unknown;
            } | string | null;
            /**
             * @description Which contract, in an output of solc that has several.
             * @default null
             */
            contract: string | null;
            /**
             * @description The creation code, without an artifact.
             * @default null
             */
            bytecode: string | null;
            /**
             * @description The name under which it is registered; that of the contract when left out.
             * @default null
             */
            name: string | null;
            /**
             * @description The account that creates it.
             * @default null
             */
            sender: string | null;
            /**
             * @description What the constructor is paid. The coins are issued for it.
             * @default 0
             */
            value_wei: string;
            /**
             * @description Create it by CREATE2, through the deterministic deployment proxy.
             * @default null
             */
            salt: string | null;
            /**
             * @description Create it at this address, in place of what is there.
             * @default null
             */
            address: string | null;
            /**
             * @description Create it at the address of this entry point, whose user operations it validates and executes then.
             * @default null
             */
            entry_point: ("0.6" | "0.7" | "0.8" | "0.9") | null;
        };
        /** @description A contract that was created and registered. */
        DeployedAnswer: {
            /** @description The EVM chain id. */
            chain_id: number;
            /** @description The address on the chain. */
            address: string;
            /** @description The id of its registration, for transactions and reads by function name. */
            contract_id: string;
            /** @description What the constructor used, before refunds. */
            gas_used: number;
        };
        /** @description The digests of the states of projects. */
        DigestsAnswer: {
            /** @description By the id of the project; those that are put away are left out. */
            digests: {
                [key: string]: string;
            };
        };
        /** @description It leaves the mempool without getting on the chain. */
        Dropped: {
            /**
             * @description What kind of row it is for.
             * @constant
             */
            kind?: "transaction";
            /**
             * @description How many transactions it takes; null for every one.
             * @default 1
             */
            count: number | null;
            /** @description The transaction that it is for; the next one unless given. */
            transaction_id?: string;
            /** @description The EVM chain id. */
            chain_id?: number;
            /** @description The account whose next transaction it is for. */
            account_id?: string;
            /**
             * @description What becomes of the transaction.
             * @constant
             */
            outcome: "dropped";
            /** @description When, in milliseconds since it was sent. */
            after_ms?: number;
        };
        /** @description An account in a dump. Numbers are decimal, or hexadecimal with 0x. */
        DumpedAccount: {
            /** @description The nonce. */
            nonce?: number | string;
            /** @description In wei. */
            balance?: number | string;
            /** @description The code that is executed. */
            code?: string | null;
            /** @description The slots of its storage and their values, in hexadecimal. */
            storage?: {
                [key: string]: string;
            } | null;
        };
        /** @description What a call or a move of the clock changed, in order; of each list the first 1,000. */
        EffectsAnswer: {
            /** @description Each row once, however often it was changed. */
            rows: components["schemas"]["RowChangeAnswer"][];
            /** @description Those that are due later. */
            timers_set: components["schemas"]["TimerAnswer"][];
            /** @description Those that were due later, and are not any more. */
            timers_cancelled: components["schemas"]["TimerAnswer"][];
            /** @description The timers that fired, in order. */
            fired: components["schemas"]["FiredAnswer"][];
            /** @description How many entries of the lists are left out. */
            omitted: number;
        };
        /** @description A session that stands for the encryption part. */
        EncryptionSessionAnswer: {
            /** @description The id of the session. */
            session_id: string;
        };
        /** @description Which unhappy paths were met, by operation: errors, faults, fates, what expires. */
        ErrorCoverageAnswer: {
            /** @description How much was met, of all that can be; 100 of nothing. */
            percent: number;
            /** @description Has every operation that was called. */
            met: {
                [key: string]: string[];
            };
            /** @description Those that were not met, the most likely first. */
            missing: {
                [key: string]: string[];
            };
        };
        /** @description Something that happened: a call of the API, one of the control API, a move of the clock. */
        EventAnswer: {
            /** @description Its number, which names the moment after it. */
            n: number;
            /** @description What the clock showed. */
            at: string;
            /**
             * @description A call of the API, one of the control API, a move of the clock by itself, or a call that went on.
             * @enum {string}
             */
            cause: "call" | "control" | "clock" | "resumed";
            /** @description The operation id of the call. */
            operation: string | null;
            /** @description The call as in a brief journal; null for one that has no answer yet, and for all else. */
            exchange: components["schemas"]["ExchangeAnswer"] | null;
            /** @description How many rows it created, changed and removed. */
            rows: number;
            /** @description How many timers fired. */
            fired: number;
        };
        /** @description The effects of a call of the API, of one of the control API, or of a move of the clock. */
        EventEffectsAnswer: {
            /** @description The number of the event; that of a call is its number in the journal, too. */
            n: number;
            /** @description When it happened, in ISO 8601. */
            at: string;
            /**
             * @description A call of the API, one of the control API, a move of the clock by itself, or a call that went on.
             * @enum {string}
             */
            cause: "call" | "control" | "clock" | "resumed";
            /** @description The operation id of the call. */
            operation: string | null;
            /** @description What it changed. */
            effects: components["schemas"]["EffectsAnswer"];
        };
        /** @description A request and its response; of a brief list without headers and bodies. */
        ExchangeAnswer: {
            /** @description The number of the exchange in the journal. */
            n: number;
            /** @description When it happened, in ISO 8601. */
            at: string;
            /** @description The method of the request. */
            method: string;
            /** @description The path of the request. */
            path: string;
            /** @description The query of the request. */
            query: string;
            /** @description The operation id; null for a path that does not exist. */
            operation: string | null;
            /** @description Where the server shows the operation. */
            docs?: string;
            /** @description The status of the response; 0 if a fault prevented one. */
            status: number;
            /** @description The code of the JSON-RPC error in a response whose status is 200; of a batch the first. */
            rpc_error: number | null;
            /** @description The scenario rule that changed the response. */
            rule: string | null;
            /** @description What a rule made go wrong when the response was sent. */
            fault: string | null;
            /** @description Whether the client got nothing of the response, because of a fault. */
            lost: boolean;
            /** @description How long the call took on the project's clock: what it waited for, not how long the server worked. */
            took_ms: number;
            /** @description What was accepted beyond the specification, as in the header `x-mockserver-hint`. */
            hints: string[];
            /** @description The request's `x-request-id`. */
            request_id: string | null;
            /** @description What was sent. */
            request?: components["schemas"]["PayloadAnswer"];
            /** @description How it ended; absent until it is on the chain. */
            response?: components["schemas"]["PayloadAnswer"];
            /** @description What the call changed. */
            effects?: components["schemas"]["EffectsAnswer"];
        };
        /** @description It expires in the mempool without getting on the chain. */
        Expired: {
            /**
             * @description What kind of row it is for.
             * @constant
             */
            kind?: "transaction";
            /**
             * @description How many transactions it takes; null for every one.
             * @default 1
             */
            count: number | null;
            /** @description The transaction that it is for; the next one unless given. */
            transaction_id?: string;
            /** @description The EVM chain id. */
            chain_id?: number;
            /** @description The account whose next transaction it is for. */
            account_id?: string;
            /**
             * @description What becomes of the transaction.
             * @constant
             */
            outcome: "expired";
            /** @description When, in milliseconds since it was sent. */
            after_ms?: number;
        };
        /** @description It is refused before it gets on the chain: for a reason, or with an error code of the entry point. */
        Failed: {
            /**
             * @description What kind of row it is for.
             * @constant
             */
            kind?: "transaction";
            /**
             * @description How many transactions it takes; null for every one.
             * @default 1
             */
            count: number | null;
            /** @description The transaction that it is for; the next one unless given. */
            transaction_id?: string;
            /** @description The EVM chain id. */
            chain_id?: number;
            /** @description The account whose next transaction it is for. */
            account_id?: string;
            /**
             * @description What becomes of the transaction.
             * @constant
             */
            outcome: "failed";
            /** @description Why, in one sentence. */
            reason?: string;
            /**
             * @description The code of the entry point, such as `AA23`.
             * @enum {unknown}
             */
            code?: "AA10" | "AA13" | "AA14" | "AA15" | "AA20" | "AA21" | "AA22" | "AA23" | "AA24" | "AA25" | "AA26" | "AA27" | "AA30" | "AA31" | "AA32" | "AA33" | "AA34" | "AA36" | "AA37" | "AA40" | "AA41" | "AA50" | "AA51" | "AA90" | "AA91" | "AA92" | "AA93" | "AA94" | "AA95" | "AA96" | "AA97" | "AA98" | "AA99";
        };
        /** @description A fate, with the options that were given. */
        FateAnswer: {
            /** @description After how many milliseconds it happens. */
            after_ms?: number;
            /** @description Whether a later block includes it again. */
            reincluded?: boolean;
            /** @description Why, in one sentence. */
            reason?: string;
            /** @description The custom error that it reverts with. */
            error?: string;
            /** @description The arguments of the error. */
            args?: unknown[];
            /** @description The code of a Solidity panic. */
            panic?: number;
            /** @description The code of the entry point, such as `AA23`. */
            code?: string;
            /** @description The error on the chain. */
            error_message?: string;
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /** @description When it was created, in ISO 8601. */
            created_at: string;
            /** @description What becomes of the transaction. */
            outcome: string;
            /**
             * @description What kind of row it is for.
             * @enum {string}
             */
            kind: "transaction" | "solana_transaction";
            /** @description How many more transactions it takes; null for every one. */
            count: number | null;
            /** @description The transaction that it is for; the next one unless given. */
            transaction_id: string | null;
            /** @description The EVM chain id. */
            chain_id: number | null;
            /** @description The account whose next transaction it is for. */
            account_id: string | null;
        };
        /** @description What is wrong with a scenario, and where. */
        FindingAnswer: {
            /**
             * @description A scenario with errors is not loaded.
             * @enum {string}
             */
            severity: "error" | "warning";
            /** @description The line, from 1. */
            line: number;
            /** @description The column in it, from 1. */
            column: number;
            /** @description What is wrong. */
            message: string;
            /** @description The nearest valid name, if a name is unknown. */
            nearest: string | null;
        };
        /** @description What is wrong with a scenario. */
        FindingsAnswer: {
            /** @description In the order of the text; empty if it is valid. */
            findings: components["schemas"]["FindingAnswer"][];
        };
        FiredAnswer: {
            /** @description When it happened, in ISO 8601. */
            at: string;
            /** @description What kind of row it is for. */
            kind: string;
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /** @description A status that was reached, or what the bundler observed. */
            event: string;
            /** @description The sender. */
            from: string;
            /** @description The address that is called. */
            to: string;
        };
        /** @description Where a project is forked. */
        ForkProject: {
            /** @description The new project has the state after this event. */
            at: number;
            /**
             * @description That of the new project, from which its keys follow; one is drawn unless given.
             * @default null
             */
            name: string | null;
        };
        /** @description A row in which a text was found. */
        FoundAnswer: {
            /** @description Such as `identity.users`. */
            table: string;
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /** @description Its members by name: times in milliseconds, bytes as hexadecimal text. */
            row: {
                [key: string]: unknown;
            };
            /** @description The members that have it. */
            members: string[];
        };
        /** @description A link into a wallet's application. */
        FundingDeeplinkAnswer: {
            /** @description The wallet. */
            app: string;
            /** @description What the link says. */
            label: string;
            /** @description The path of the list. */
            url: string;
        };
        /** @description A fee. */
        FundingFeeAnswer: {
            /** @description What kind of row it is for. */
            kind: string;
            /** @description An amount in the token's smallest unit. */
            amount: string;
            /** @description The address of a token, zeros for the chain's coin, or the code of a currency. */
            currency: string;
        };
        /** @description How the session is to be paid. */
        FundingMethodAnswer: {
            /**
             * @description Which kind it is.
             * @enum {string}
             */
            type: "evm" | "solana";
            /** @description From where it is paid. */
            source: components["schemas"]["FundingSourceAnswer"];
            /** @description To which address the sender pays. */
            receiverAddress: string;
            /** @description The payment for wallets (EIP-681, Solana Pay). */
            addressUri: string;
            /** @description Links that open the payment in a wallet. */
            deeplinks: components["schemas"]["FundingDeeplinkAnswer"][];
            /** @description What the payment costs besides. */
            fees: components["schemas"]["FundingFeeAnswer"][];
            /** @description The least that may be sent, in the source's smallest unit. */
            minAmount: string | null;
        };
        /** @description A funding session. */
        FundingSessionAnswer: {
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /**
             * @description The kind of the object.
             * @constant
             */
            object: "fundingSession";
            /** @description When it was created, in seconds since 1970. */
            createdAt: number;
            /**
             * @description Whether it was done.
             * @enum {string}
             */
            status: "requires_payment_method" | "waiting_payment" | "processing" | "succeeded" | "bounced" | "expired";
            /** @description What shows that a client may see and advance the session. */
            clientSecret: string;
            /** @description The URL of a webhook, or an e-mail address. */
            target: components["schemas"]["FundingTargetAnswer"];
            /** @description What has to arrive, in the target's smallest unit; null where the sender chooses. */
            amountUnits: string | null;
            /** @description Values of the developer's own, by key. */
            metadata: {
                [key: string]: string;
            } | null;
            /** @description The id that the submitter gave it. */
            externalId: string | null;
            /** @description Whether the receiving address takes one payment in time and no other. */
            strict: boolean;
            /** @description How it is paid. */
            paymentMethod: components["schemas"]["FundingMethodAnswer"] | null;
            /** @description When it expires, in seconds since 1970. */
            expiresAt: number;
        };
        /** @description From where the money is sent. */
        FundingSourceAnswer: {
            /** @description The chain (CAIP-2). */
            chain: string;
            /** @description The contract of a token, or the zero address for the native coin. */
            currency: string;
            /** @description An amount in the token's smallest unit. */
            amount: string;
        };
        /** @description Where the money is to arrive. */
        FundingTargetAnswer: {
            /** @description The chain (CAIP-2). */
            chain: string;
            /** @description The contract of a token, or the zero address for the native coin. */
            currency: string;
            /** @description The address on the chain. */
            address: string;
        };
        /** @description The form. Without `profile` the user is found by the e-mail address, or else created. */
        GiveConsent: {
            /** @description What the provider hands back, a part of the URL that led to it. */
            state: string;
            /**
             * @description What the user answers on the consent page.
             * @default accept
             * @enum {string}
             */
            decision: "accept" | "refuse" | "fail";
            /**
             * @description The subject of an existing user of the provider.
             * @default
             */
            profile: string;
            /**
             * @description The name.
             * @default
             */
            name: string;
            /**
             * @description The e-mail address.
             * @default
             */
            email: string;
            /**
             * @description Whether the provider has verified the address.
             * @default false
             */
            verified: boolean;
            /**
             * @description The id that the provider gives a new user; generated unless given.
             * @default null
             */
            subject: string | null;
        };
        /** @description The server is alive. */
        HealthAnswer: {
            /**
             * @description Always `ok`.
             * @constant
             */
            status: "ok";
            /** @description What became of the log. */
            log: components["schemas"]["LogHealth"];
            /** @description The bounds of the journals. */
            journal: components["schemas"]["JournalBounds"];
        };
        /** @description An RSA-4096 public key: its SPKI as base64 of DER, and as PEM. */
        ImportKeyAnswer: {
            /** @description The public key, base64 of its SPKI DER. */
            public_key: string;
            /** @description The public key as PEM. */
            pem: string;
        };
        /** @description What the journals hold at most; beyond, the oldest events are dropped. */
        JournalBounds: {
            /** @description Events of a project: calls, and whatever else changed it. */
            events: number;
            /** @description Bytes of a project. */
            bytes: number;
            /** @description Bytes of all projects, which the option `--journal-bytes` sets. */
            server_bytes: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_AnnouncedKeyAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["AnnouncedKeyAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_BlockAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["BlockAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_DeliveryAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["DeliveryAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_DeliveryFateAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["DeliveryFateAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_EventAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["EventAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_EventEffectsAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["EventEffectsAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_ExchangeAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["ExchangeAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_FateAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["FateAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_FoundAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["FoundAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_MessageAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["MessageAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_NearMiss: {
            /** @description The entries of this page. */
            data: components["schemas"]["NearMiss"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_NetworkAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["NetworkAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_ProjectAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["ProjectAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_RowAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["RowAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_RowChangeAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["RowChangeAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_ScenarioAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["ScenarioAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_SnapshotAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["SnapshotAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_TableAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["TableAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_TimerAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["TimerAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description The envelope of every list of the control API: a page of it, and how many entries match in all. */
        ListAnswer_TokenKeyAnswer: {
            /** @description The entries of this page. */
            data: components["schemas"]["TokenKeyAnswer"][];
            /** @description How many entries there are on all pages. */
            total: number;
        };
        /** @description A state of Anvil (`--dump-state`, `anvil_dumpState`) or of geth (`geth dump`, a genesis file). */
        LoadChainState: {
            /** @description The dump as JSON, or the hexadecimal text that `anvil_dumpState` answers. */
            state: components["schemas"]["ChainDump"] | string;
        };
        /** @description What was loaded. */
        LoadedAnswer: {
            /** @description The digests of the projects as the recording has them, by id. */
            digests: {
                [key: string]: string;
            };
        };
        /** @description What was loaded. */
        LoadedStateAnswer: {
            /** @description How many accounts there were. */
            accounts: number;
            /** @description How many of them have code. */
            contracts: number;
        };
        /** @description The lines of the log. */
        LogHealth: {
            /** @description Lines that could not be written, or not as fast as they came. */
            dropped: number;
        };
        /** @description What happens next: one of the members besides `real_ms`, or nothing. */
        MakeStep: {
            /**
             * @description The real time from now on, in milliseconds since 1970.
             * @default null
             */
            real_ms: number | null;
            /**
             * @description The exchange whose call waited, and goes on.
             * @default null
             */
            resume: number | null;
            /**
             * @description The id of the project whose ticking clock moves to the real time.
             * @default null
             */
            tick: string | null;
            /**
             * @description Whether the recording ends.
             * @default false
             */
            end: boolean;
        };
        /** @description An e-mail or a text message. */
        MessageAnswer: {
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /** @description When it happened, in ISO 8601. */
            at: string;
            /**
             * @description Whether it is an e-mail or a text message.
             * @enum {string}
             */
            channel: "email" | "sms";
            /** @description The recipient's e-mail address or phone number. */
            to: string;
            /** @description What the message is for, such as `verify-email`. */
            kind: string;
            /** @description The text. */
            text: string;
            /** @description The subject of the e-mail. */
            subject?: string;
            /** @description The one-time code in it, if there is one. */
            code?: string;
            /** @description The link in it, if there is one. */
            url?: string;
        };
        /** @description A rule that a call meets in part, and each condition that it does not meet, as a sentence. */
        NearMiss: {
            /** @description The scenario. */
            scenario: string;
            /** @description The rule of a scenario. */
            rule: string;
            /** @description What of the rule's `when` did not hold. */
            missed: string[];
        };
        /** @description An EVM chain that is known by name. */
        NetworkAnswer: {
            /** @description The EVM chain id. */
            chain_id: number;
            /** @description The name. */
            name: string;
            /** @description Whether it is a test network, which test keys are for. */
            testnet: boolean;
            /** @description The symbol of its native coin, which has 18 decimals. */
            currency: string;
            /** @description The address of USDC, which has 6 decimals, in lower case; null where none is known. */
            usdc: string | null;
        };
        /** @description It stays sent for ever. */
        NeverMined: {
            /**
             * @description What kind of row it is for.
             * @constant
             */
            kind?: "transaction";
            /**
             * @description How many transactions it takes; null for every one.
             * @default 1
             */
            count: number | null;
            /** @description The transaction that it is for; the next one unless given. */
            transaction_id?: string;
            /** @description The EVM chain id. */
            chain_id?: number;
            /** @description The account whose next transaction it is for. */
            account_id?: string;
            /**
             * @description What becomes of the transaction.
             * @constant
             */
            outcome: "never_mined";
        };
        /** @description The device that created a passkey. */
        PasskeyEnvironment: {
            /** @description The name of the device. */
            name?: string;
            /** @description The operating system. */
            os?: string;
            /** @description The version of the operating system. */
            osVersion?: string;
            /** @description The device. */
            device?: string;
        };
        /** @description A payment from outside, which arrives as late as a transaction. */
        PayFundingSession: {
            /**
             * @description How much of the source's currency, in its smallest unit; what is due unless given.
             * @default null
             */
            amount: string | null;
            /**
             * @description Whether it is sent back. So is too little, and what is late for a `strict` session.
             * @default false
             */
            bounces: boolean;
        };
        /** @description The form. */
        PayOnPage: {
            /** @description An amount in the token's smallest unit. */
            amount: string;
            /**
             * @description What the user answers on the consent page.
             * @default pay
             * @enum {string}
             */
            decision: "pay" | "bounce";
        };
        /** @description A request or a response; its body is parsed JSON, a text, or `{base64}` if it is neither. */
        PayloadAnswer: {
            /** @description Headers for the request that verifies a token. */
            headers: {
                [key: string]: string;
            };
            /** @description The body. */
            body: unknown;
        };
        /** @description The payer of a transaction's gas, and the token in which the account reimbursed it. */
        PaymentAnswer: {
            /** @description Who paid for gas. */
            payer: string;
            /** @description What gas cost. */
            wei: string;
            /** @description The address of the token, or null. */
            token: string | null;
            /** @description What was paid back, in the token's smallest unit. */
            token_amount: string;
        };
        /** @description A policy. `skipped_reason` says why it was not evaluated; null if it was. */
        PolicyTrace: {
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /**
             * @description What it applies to, every transaction of the project, those of one account, or those that name it.
             * @enum {string}
             */
            scope: "project" | "account" | "transaction";
            /** @description Policies with a higher number are asked first. */
            priority: number;
            /** @description The rules, which are asked in this order until one matches. */
            rules: components["schemas"]["RuleTrace"][];
            /** @description Why it had no say, or null. */
            skipped_reason: string | null;
        };
        /** @description The key of an account in hex: a secp256k1 secret for EVM, an ed25519 seed for SVM. */
        PrivateKeyAnswer: {
            /** @description The address on the chain. */
            address: string;
            /** @description The private key. */
            private_key: string;
        };
        /** @description RFC 9457 problem details, for errors that the real service does not have. */
        Problem: {
            /** @description `urn:mockserver:` and the code of the error. */
            type: string;
            /** @description The code in words. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What went wrong, for people. */
            detail: string;
            /** @description Where the server shows the operation, with everything that it takes and answers. */
            docs?: string;
            /** @description The path of the member that is wrong. */
            param?: string;
            /** @description What is wrong with each member, by its path. */
            errors?: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
        };
        /** @description A project and its pair of API keys. */
        ProjectAnswer: {
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /** @description The name. */
            name: string;
            /** @description The secret key. */
            secret_key: string;
            /** @description The publishable key of the project. */
            publishable_key: string;
            /** @description What the key or token may do; an empty list means everything. */
            scopes: string[];
            /** @description Whether the project is in live mode. */
            livemode: boolean;
            /** @description False for a project that the first use of an undeclared key opened. */
            declared: boolean;
            /** @description How many calls of the API it has answered. */
            calls: number;
            /** @description What all randomness is derived from. */
            seed: string;
            /** @description The project's time. */
            now: string;
            /** @description The clock. */
            clock: components["schemas"]["ClockAnswer"];
        };
        /** @description Start-up is complete. */
        ReadyAnswer: {
            /**
             * @description Always `ready`.
             * @constant
             */
            status: "ready";
        };
        /** @description An answer, as in the file. */
        RecordedAnswer: {
            /** @description Whether it was done. */
            status: number;
            /** @description Pairs of a name and a value. */
            headers: string[][];
            /**
             * @description A text, or an object with the `base64` of bytes that are not UTF-8.
             * @default
             */
            body: unknown;
            /**
             * @description What a rule made go wrong when it was sent.
             * @default null
             */
            fault: string | null;
        };
        /** @description Exchanges as the journal shows its own, without effects. */
        RecordedAnswers: {
            /** @description In the order in which they were given. */
            data: components["schemas"]["ExchangeAnswer"][];
        };
        /** @description A request of a recording, and its answer if there is one. */
        RecordedExchange: {
            /** @description The number of the exchange in the journal. */
            n: number;
            /** @description What was sent. */
            request: components["schemas"]["RecordedRequest"];
            /**
             * @description Null where the recording has none.
             * @default null
             */
            answer: components["schemas"]["RecordedAnswer"] | null;
            /**
             * @description What the clock showed.
             * @default 0
             */
            now_ms: number;
        };
        /** @description A request, as in the file. */
        RecordedRequest: {
            /** @description The method of the request. */
            method: string;
            /** @description The path of the request. */
            path: string;
            /** @description Pairs of a name and a value. */
            headers: string[][];
            /**
             * @description The query of the request.
             * @default
             */
            query: string;
            /**
             * @description A text, or an object with the `base64` of bytes that are not UTF-8.
             * @default
             */
            body: unknown;
        };
        /** @description How far a recording is: all calls of the server, or of its projects, since it began. */
        RecordingAnswer: {
            /** @description Whether calls are being recorded. */
            active: boolean;
            /** @description How many requests were recorded. */
            exchanges: number;
            /** @description In bytes. */
            size: number;
            /** @description Why it has stopped by itself, such as a full disk. */
            failure: string | null;
        };
        /** @description The passkey that recovers an account. */
        RecoveryDetails: {
            /** @description The id of the passkey. */
            passkeyId: string;
            /** @description The device on which the passkey was made. */
            passkeyEnv?: components["schemas"]["PasskeyEnvironment"];
        };
        /** @description A passkey, and the device that created it. */
        RecoveryPasskey: {
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /**
             * @description The name.
             * @default null
             */
            name: string | null;
            /**
             * @description The operating system.
             * @default null
             */
            os: string | null;
            /**
             * @description The version of the operating system.
             * @default null
             */
            os_version: string | null;
            /**
             * @description The device.
             * @default null
             */
            device: string | null;
        };
        /** @description The blocks that were replaced, and the transactions that were in them. */
        ReorganizationAnswer: {
            /** @description The number of the first block that was replaced. */
            first_block: number;
            /** @description The number of the last block that was replaced. */
            last_block: number;
            /** @description The transactions. */
            transactions: string[];
        };
        /** @description A reorganization. */
        Reorganize: {
            /**
             * @description How many of the latest blocks are replaced.
             * @default 1
             */
            depth: number;
        };
        /** @description It is confirmed, and then the block that it is in is taken off the chain. */
        Reorged: {
            /**
             * @description What kind of row it is for.
             * @constant
             */
            kind?: "transaction";
            /**
             * @description How many transactions it takes; null for every one.
             * @default 1
             */
            count: number | null;
            /** @description The transaction that it is for; the next one unless given. */
            transaction_id?: string;
            /** @description The EVM chain id. */
            chain_id?: number;
            /** @description The account whose next transaction it is for. */
            account_id?: string;
            /**
             * @description What becomes of the transaction.
             * @constant
             */
            outcome: "reorged";
            /** @description When, in milliseconds since it was sent. */
            after_ms?: number;
            /**
             * @description Whether a later block takes it again.
             * @default true
             */
            reincluded: boolean;
        };
        /** @description It is mined with another hash than the one it was sent with. */
        Replaced: {
            /**
             * @description What kind of row it is for.
             * @constant
             */
            kind?: "transaction";
            /**
             * @description How many transactions it takes; null for every one.
             * @default 1
             */
            count: number | null;
            /** @description The transaction that it is for; the next one unless given. */
            transaction_id?: string;
            /** @description The EVM chain id. */
            chain_id?: number;
            /** @description The account whose next transaction it is for. */
            account_id?: string;
            /**
             * @description What becomes of the transaction.
             * @constant
             */
            outcome: "replaced";
            /** @description When, in milliseconds since it was sent. */
            after_ms?: number;
        };
        /** @description A row as recordings have it. */
        ReplayedRowAnswer: {
            /** @description Null where there is none. */
            row: unknown;
        };
        /** @description What a failed test did in a project. */
        ReportAnswer: {
            /** @description How many exchanges came after `since`. */
            exchanges: number;
            /** @description Those that have something to say. */
            sections: components["schemas"]["ReportSection"][];
        };
        /** @description What came of an attempt: exactly one of `status` and `error`. */
        ReportResult: {
            /**
             * @description The status of the receiver's answer.
             * @default null
             */
            status: number | null;
            /**
             * @description Why there was no answer.
             * @default null
             */
            error: string | null;
            /**
             * @description The beginning of the answer's body.
             * @default
             */
            body: string;
        };
        /** @description A part of a report. */
        ReportSection: {
            /**
             * @description The id of the object; its prefix tells the kind.
             * @enum {string}
             */
            id: "journal" | "errors" | "transactions" | "rules" | "fates" | "undeclared_keys";
            /** @description Its heading, such as `mockserver journal`. */
            title: string;
            /** @description What it says, secrets masked. Lines about the one before begin with spaces. */
            lines: string[];
        };
        /** @description It is mined, and its calls revert: with a reason, a custom error or a panic. */
        Reverted: {
            /**
             * @description What kind of row it is for.
             * @constant
             */
            kind?: "transaction";
            /**
             * @description How many transactions it takes; null for every one.
             * @default 1
             */
            count: number | null;
            /** @description The transaction that it is for; the next one unless given. */
            transaction_id?: string;
            /** @description The EVM chain id. */
            chain_id?: number;
            /** @description The account whose next transaction it is for. */
            account_id?: string;
            /**
             * @description What becomes of the transaction.
             * @constant
             */
            outcome: "reverted";
            /** @description When, in milliseconds since it was sent. */
            after_ms?: number;
            /** @description Why, in one sentence. */
            reason?: string;
            /** @description A signature, or a name in the ABI of what is called. */
            error?: string;
            /** @description The arguments of the error. */
            args?: unknown[];
            /** @description The code of a Solidity panic. */
            panic?: number;
        };
        /** @description A row of a table. */
        RowAnswer: {
            /** @description Such as `identity.users`. */
            table: string;
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /** @description Its members by name: times in milliseconds, bytes as hexadecimal text. */
            row: {
                [key: string]: unknown;
            };
        };
        /** @description A row that was created, changed or removed, with its members; of a changed one those that differ. */
        RowChangeAnswer: {
            /** @description Such as `identity.users`. */
            table: string;
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /**
             * @description What became of the row.
             * @enum {string}
             */
            change: "created" | "changed" | "removed";
            /** @description Null for a created row. */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description Null for a removed row. */
            after: {
                [key: string]: unknown;
            } | null;
        };
        /** @description An error of JSON-RPC 2.0. */
        RpcError: {
            /**
             * @description The version of JSON-RPC.
             * @constant
             */
            jsonrpc: "2.0";
            /** @description That of the request. */
            id: string | number | null;
            /** @description What went wrong. */
            error: components["schemas"]["RpcErrorMembers"];
        };
        /** @description What went wrong: `code` is for programs, `message` for people. */
        RpcErrorMembers: {
            /** @description The code of the error, for programs. */
            code: number;
            /** @description What went wrong, for people. */
            message: string;
            /** @description What a call that was reverted has returned, in hexadecimal; of others what is wrong with each field. */
            data?: unknown;
        };
        /** @description The answer to a request that went well. */
        RpcResult: {
            /**
             * @description The version of JSON-RPC.
             * @constant
             */
            jsonrpc: "2.0";
            /** @description That of the request. */
            id: string | number | null;
            /** @description What the method answers. */
            result: unknown;
        };
        /** @description A rule: how many calls it matched (`met`), and how often it took effect (`fired`). */
        RuleAnswer: {
            /** @description The name. */
            name: string;
            /** @description How many calls met the rule's `when`. */
            met: number;
            /** @description How many calls it acted on. */
            fired: number;
            /** @description Whether it may never fire. */
            optional: boolean;
        };
        /**
         * @description A rule; `matched` is null if it is about another operation.
         *
         *     `skipped_reason` says why it could not decide, whether or not it matched; null if it could.
         */
        RuleTrace: {
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /** @description The operation that it is about. */
            operation: string;
            /**
             * @description What to do when every criterion matches.
             * @enum {string}
             */
            action: "accept" | "reject";
            /** @description Whether it matched. */
            matched: boolean | null;
            /** @description What has to hold; without criteria a rule always matches. */
            criteria: components["schemas"]["CriterionTrace"][];
            /** @description Why it had no say, or null. */
            skipped_reason: string | null;
        };
        /** @description A loaded scenario: its text, its rules in order, the answers that its steps captured, by name. */
        ScenarioAnswer: {
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /** @description The name. */
            name: string;
            /** @description What its text is called, such as its file's name. */
            source: string;
            /** @description The text. */
            text: string;
            /** @description The rules, and how often each acted. */
            rules: components["schemas"]["RuleAnswer"][];
            /** @description What the steps captured, by name. */
            captured: {
                [key: string]: unknown;
            };
            /** @description The state that the project is in, which rules read and set. */
            state: string;
        };
        /** @description What is to change of an address. What is left out stays as it is. */
        SetAddress: {
            /** @description Values of storage by slot, both in hexadecimal. */
            storage?: {
                [key: string]: string;
            };
            /** @description The balances of tokens. */
            tokens?: components["schemas"]["SetTokenBalance"][];
            /**
             * @description The balance in wei.
             * @default null
             */
            balance_wei: string | null;
            /**
             * @description The nonce.
             * @default null
             */
            nonce: number | null;
            /**
             * @description Code to be executed when it is called (not creation code); `0x` for none.
             * @default null
             */
            code: string | null;
        };
        /** @description The budget in wei, over all chains and including what is spent already; null for no limit. */
        SetBudget: {
            /** @description The most that it pays for gas. */
            budget_wei: string | null;
        };
        /** @description The clock's new mode, rate and time. What is left out stays as it is. */
        SetClock: {
            /**
             * @description Whether the clock is frozen or ticks.
             * @default null
             */
            mode: ("frozen" | "ticking") | null;
            /**
             * @description How many times as fast as real time the clock ticks.
             * @default null
             */
            rate: number | null;
            /**
             * @description The project's time.
             * @default null
             */
            now: string | null;
        };
        /** @description The clock, and the timers that fired when it was set forward, in order. */
        SetClockAnswer: {
            /** @description The project's time. */
            now: string;
            /**
             * @description Whether the clock is frozen or ticks.
             * @enum {string}
             */
            mode: "frozen" | "ticking";
            /** @description How many times as fast as real time the clock ticks. */
            rate: number;
            /** @description The timers that fired, in order. */
            fired: components["schemas"]["FiredAnswer"][];
        };
        /** @description What becomes of deliveries to come. */
        SetDeliveryFate: {
            /**
             * @description `lost`, `late` by `after_ms`, `twice`, `reordered` with the next one, `corrupted`, or `answered`.
             * @enum {string}
             */
            outcome: "lost" | "late" | "twice" | "reordered" | "corrupted" | "answered";
            /**
             * @description What it is about.
             * @default null
             */
            topic: ("transaction_intent.broadcast" | "transaction_intent.successful" | "transaction_intent.cancelled" | "transaction_intent.failed" | "balance.project" | "balance.contract" | "balance.dev_account" | "test" | "user.created" | "user.updated" | "user.deleted" | "account.created" | "solana_transaction.broadcast" | "solana_transaction.successful" | "solana_transaction.failed" | "funding.session.updated" | "transaction.submitted" | "transaction.succeeded" | "transaction.failed") | null;
            /**
             * @description The URL of a webhook, or an e-mail address.
             * @default null
             */
            target: string | null;
            /**
             * @description How many it takes; null for every one.
             * @default 1
             */
            count: number | null;
            /**
             * @description With which of them it begins; those before it are delivered as always.
             * @default 1
             */
            nth: number;
            /**
             * @description How late they are.
             * @default null
             */
            after_ms: number | null;
            /**
             * @description What is answered in place of the receiver.
             * @default null
             */
            status: number | null;
        };
        /** @description The recovery method; `passkey` is given with the method `passkey` only. */
        SetRecovery: {
            /**
             * @description The recovery method.
             * @enum {string}
             */
            method: "password" | "passkey" | "automatic";
            /**
             * @description The passkey.
             * @default null
             */
            passkey: components["schemas"]["RecoveryPasskey"] | null;
        };
        /** @description The new balance of a token; 1 or 0 for a token of an ERC-721 contract. */
        SetTokenBalance: {
            /** @description The address of the token. */
            contract: string;
            /** @description The balance. */
            balance: string;
            /**
             * @description The id of the token; only of ERC-721 and ERC-1155.
             * @default null
             */
            token_id: string | null;
        };
        /** @description The settings of a project: every default that a test may need to change. */
        Settings: {
            /**
             * @description Sign-up answers `token: null`, and signing in is refused until the address is verified.
             * @default false
             */
            email_verification_required: boolean;
            /**
             * @description Proving an e-mail address, by link or by code, signs the user in.
             * @default false
             */
            auto_sign_in_after_verification: boolean;
            /**
             * @description `get-session` without a valid session answers 200 `null` instead of 401.
             * @default false
             */
            get_session_answers_null: boolean;
            /**
             * @description Users may sign in anonymously. Without it, Sign-In with Ethereum asks for an e-mail address.
             * @default true
             */
            anonymous_sign_in: boolean;
            /**
             * @description How long a session is valid after its last renewal.
             * @default 604800000
             */
            session_lifetime_ms: number;
            /**
             * @description How long a session with `rememberMe: false` is valid; it is not renewed.
             * @default 86400000
             */
            short_session_lifetime_ms: number;
            /**
             * @description A request renews its session if the last renewal is this long ago.
             * @default 86400000
             */
            session_renewed_after_ms: number;
            /**
             * @description How long a one-time code is valid.
             * @default 300000
             */
            one_time_code_lifetime_ms: number;
            /**
             * @description How long a mailed link is valid.
             * @default 3600000
             */
            link_lifetime_ms: number;
            /**
             * @description How long a nonce of Sign-In with Ethereum is valid.
             * @default 900000
             */
            siwe_nonce_lifetime_ms: number;
            /**
             * @description How long an access token is valid, and never longer than its session; null is as long as that.
             * @default null
             */
            access_token_lifetime_ms: number | null;
            /**
             * @description The issuer of access tokens (`iss`). Tokens of another are refused.
             * @default openfort.xyz
             */
            access_token_issuer: string;
            /**
             * @description The audience of access tokens (`aud`); null is the project's id. Tokens for another are refused.
             * @default null
             */
            access_token_audience: string | null;
            /**
             * @description Every one-time code is this one.
             * @default null
             */
            one_time_code: string | null;
            /**
             * @description Where links may lead back to, and requests with cookies come from, such as `https://shop.example`. Null trusts every origin with links, and with cookies those of the machine itself.
             * @default null
             */
            trusted_origins: string[] | null;
            /**
             * @description Limit how often a client calls the endpoints of `/iam/v2/auth`.
             * @default false
             */
            rate_limits: boolean;
            /**
             * @description Addresses of contract wallets (ERC-1271, ERC-6492). Any signature of them is accepted.
             * @default []
             */
            contract_wallets: string[];
            /**
             * @description The fewest characters that a new password may have.
             * @default 8
             */
            password_min_length: number;
            /**
             * @description The most characters that a new password may have.
             * @default 128
             */
            password_max_length: number;
            /**
             * @description The developer's requests count as made after multi-factor authentication, which rotating needs.
             * @default false
             */
            aal2: boolean;
            /**
             * @description Refuse what is otherwise accepted beyond the specification with the header `x-mockserver-hint`.
             * @default false
             */
            strict: boolean;
            /**
             * @description Refuse plain HTTP; `X-Forwarded-Proto` counts.
             * @default false
             */
            require_https: boolean;
            /**
             * @description What to do with a chain id that is in no table.
             * @default accept
             * @enum {string}
             */
            unknown_chains: "accept" | "refuse";
            /**
             * @description The chain of smart and delegated accounts that are created without `chainId`. Null is Base: 84532 (Base Sepolia) with test keys, 8453 with live keys.
             * @default null
             */
            default_chain_id: number | null;
            /**
             * @description The starting balance of every account on every chain.
             * @default 1000000000000000000
             */
            starting_balance_wei: number;
            /**
             * @description The starting deposit of every paymaster at the entry point of every chain.
             * @default 1e+24
             */
            sponsor_deposit_wei: number;
            /**
             * @description The most gas that a call of a contract with code may take, in a transaction and in a read.
             * @default 16777216
             */
            contract_gas_limit: number;
            /**
             * @description Token transfers beyond what the holder has are reverted. Otherwise the holder is assumed to have had the difference before the mock started.
             * @default false
             */
            strict_token_balances: boolean;
            /** @description Prices of gas and coins by chain id: `{"80002": {"base_fee_wei": 5}}`. */
            chains?: {
                [key: string]: components["schemas"]["ChainSettings"];
            };
            /** @description Metadata and prices of ERC-20 tokens, by address in lower case. */
            tokens?: {
                [key: string]: components["schemas"]["TokenSettings"];
            };
            /**
             * @description From broadcast to confirmation.
             * @default 2000
             */
            transaction_confirms_after_ms: number;
            /**
             * @description From submission of a Solana transaction to its confirmation.
             * @default 1000
             */
            solana_confirms_after_ms: number;
            /**
             * @description When a Solana transaction that never lands expires.
             * @default 90000
             */
            solana_expires_after_ms: number;
            /**
             * @description The longest wait of an answer for a receipt.
             * @default 30000
             */
            wait_limit_ms: number;
            /**
             * @description How long the first answer to an X-Idempotency-Key is remembered.
             * @default 86400000
             */
            idempotency_lifetime_ms: number;
            /**
             * @description How long what has expired is kept: sessions, codes, nonces, links, authorizations, rate limits.
             * @default 2592000000
             */
            expired_kept_ms: number;
            /**
             * @description How many codes, links and nonces are kept, expired or not: the newest. And as many authorizations, idempotent answers, rate limit windows, attempts that faults count, and used wallet auth tokens.
             * @default 10000
             */
            pending_kept: number;
            /**
             * @description How many sessions a user may have; beyond it the oldest are dropped.
             * @default 1000
             */
            sessions_per_user: number;
            /**
             * @description How many settled transactions are kept, as many that await a signature, and as many of Solana. And as many funding sessions that ended, and encryption sessions. The oldest are dropped.
             * @default 10000
             */
            settled_kept: number;
            /**
             * @description How many deleted contracts are kept, and as many policies, fee sponsorships and developer accounts. And as many ended session keys and wallet secrets.
             * @default 1000
             */
            deleted_kept: number;
            /**
             * @description How many messages the outbox keeps, and as many webhooks and attempts to send them. The oldest are dropped.
             * @default 10000
             */
            messages_kept: number;
            /**
             * @description What webhooks are signed with; null is the secret key without `sk_`, `test_` and hyphens.
             * @default null
             */
            webhook_secret: string | null;
            /**
             * @description The hosts besides loopback to which webhooks are sent, such as `shop.example`.
             * @default []
             */
            webhook_hosts: string[];
            /**
             * @description How long after a change its webhooks are sent.
             * @default 0
             */
            webhook_delay_ms: number;
            /**
             * @description How long after each failed attempt a webhook is sent again; after the last it has failed.
             * @default [
             *       5000,
             *       30000,
             *       120000,
             *       600000,
             *       3600000
             *     ]
             */
            webhook_retries_ms: number[];
            /**
             * @description After how many failed attempts in a row a trigger is deactivated.
             * @default 10
             */
            webhook_failures: number;
            /**
             * @description How many snapshots are kept; the oldest are dropped.
             * @default 100
             */
            snapshots_kept: number;
            /**
             * @description The price of a native coin, for `costUsd`, on chains without their own setting.
             * @default 2500
             */
            native_price_usd: string;
            /**
             * @description The ids of the projects that may act on this one's behalf (`X-Behalf-Of-Project`).
             * @default []
             */
            ecosystems: string[];
            /**
             * @description The providers that users may sign in with; null is every one.
             * @default null
             */
            social_providers: ("google" | "apple" | "twitter" | "discord" | "facebook" | "epic_games" | "line" | "telegram")[] | null;
            /**
             * @description The providers that make a new user only where the sign-in says `requestSignUp`.
             * @default []
             */
            sign_up_on_request: ("google" | "apple" | "twitter" | "discord" | "facebook" | "epic_games" | "line" | "telegram")[];
            /**
             * @description Let a user link a social identity whose e-mail address is another one than theirs.
             * @default false
             */
            link_different_emails: boolean;
            /** @description The public keys of providers, each a list of JWKs (RFC 7517). Their tokens must be signed with one. */
            provider_keys?: {
                [key: string]: {
                    [key: string]: unknown;
                }[];
            };
        };
        /** @description How a transaction ends. */
        SettleSolana: {
            /**
             * @description What becomes of the transaction.
             * @enum {string}
             */
            outcome: "confirmed" | "failed" | "expired";
            /**
             * @description Only with the outcome `failed`.
             * @default null
             */
            error_message: string | null;
        };
        /** @description What is shown, and how. */
        ShowRecorded: {
            /** @description The exchanges, in the order in which they are shown. */
            exchanges?: components["schemas"]["RecordedExchange"][];
            /**
             * @description Leave out headers and bodies.
             * @default false
             */
            brief: boolean;
            /**
             * @description Show keys, tokens, passwords and codes too.
             * @default false
             */
            unmasked: boolean;
        };
        /** @description What to sign: exactly one of the four. A message of 0x and hexadecimal digits is taken as bytes. */
        SignAsUser: {
            /**
             * @description A hash to sign as it is.
             * @default null
             */
            hash: string | null;
            /**
             * @description A text to sign with the prefix of EIP-191.
             * @default null
             */
            message: string | null;
            /**
             * @description Typed data to sign (EIP-712).
             * @default null
             */
            typedData: {
                [key: string]: unknown;
            } | null;
            /**
             * @description A transaction to sign.
             * @default null
             */
            transaction: string | null;
        };
        /** @description A request of the API that is to be signed with the wallet secret. */
        SignWalletRequest: {
            /** @description Its method, such as `POST`. */
            method: string;
            /** @description Its path, without the query. */
            path: string;
            /**
             * @description Its body, to the byte.
             * @default
             */
            body: string;
            /**
             * @description Another secret than the project's own: PKCS#8 in base64.
             * @default null
             */
            wallet_secret: string | null;
        };
        /** @description The signer's address, and the signature in hex: r, s, v for EVM, 64 bytes of ed25519 for SVM. */
        SignatureAnswer: {
            /** @description The address on the chain. */
            address: string;
            /** @description The signature, 0x and hexadecimal digits. */
            signature: string;
        };
        /** @description The contract behind an account. */
        SmartAccountAnswer: {
            /** @description The contract that the account is made of. */
            implementationType: string;
            /** @description The address of that contract. */
            implementationAddress: string;
            /** @description Whether this configuration is the one in use. */
            active: boolean;
            /** @description The EVM chain id (EIP-155). */
            chainId?: number;
            /** @description The contract that deploys the account; absent for delegated accounts. */
            factoryAddress?: string;
            /** @description What the address is derived from; absent for delegated accounts. */
            salt?: string;
            /** @description The address whose key controls the account. */
            ownerAddress?: string;
            /** @description The transaction that deployed the account; absent until then. */
            deployedTx?: string;
            /** @description When the account was deployed; absent until then, in seconds since 1970. */
            deployedAt?: number;
        };
        /** @description A snapshot, and the time of the project's clock when it was taken. */
        SnapshotAnswer: {
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /** @description The project's time. */
            now: string;
        };
        /** @description A sponsored Solana transaction, or a bundle of them. */
        SolanaAnswer: {
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /** @description When it was created, in ISO 8601. */
            created_at: string;
            /**
             * @description Whether it was done.
             * @enum {string}
             */
            status: "sent" | "confirmed" | "failed" | "expired";
            /** @description The id that the submitter gives it. */
            external_id: string | null;
            /** @description The signature, 0x and hexadecimal digits. */
            signature: string | null;
            /** @description The error on the chain. */
            error_message: string | null;
            /** @description The id of the bundle, if it is one. */
            bundle_id: string | null;
            /** @description The signatures of a bundle's transactions, in order. */
            child_signatures: string[];
        };
        /** @description It is confirmed. */
        SolanaConfirmed: {
            /**
             * @description How many transactions it takes; null for every one.
             * @default 1
             */
            count: number | null;
            /** @description When, in milliseconds since it was sent. */
            after_ms?: number;
            /**
             * @description What becomes of the transaction.
             * @constant
             */
            outcome: "confirmed";
            /**
             * @description What kind of row it is for.
             * @constant
             */
            kind?: "solana_transaction";
        };
        /** @description Its blockhash expires before it gets on the chain. */
        SolanaExpired: {
            /**
             * @description How many transactions it takes; null for every one.
             * @default 1
             */
            count: number | null;
            /** @description When, in milliseconds since it was sent. */
            after_ms?: number;
            /**
             * @description What becomes of the transaction.
             * @constant
             */
            outcome: "expired";
            /**
             * @description What kind of row it is for.
             * @constant
             */
            kind: "solana_transaction";
        };
        /** @description It gets on the chain, and fails there. */
        SolanaFailed: {
            /**
             * @description How many transactions it takes; null for every one.
             * @default 1
             */
            count: number | null;
            /** @description When, in milliseconds since it was sent. */
            after_ms?: number;
            /**
             * @description What becomes of the transaction.
             * @constant
             */
            outcome: "failed";
            /**
             * @description What kind of row it is for.
             * @constant
             */
            kind: "solana_transaction";
            /** @description The error on the chain. */
            error_message?: string;
        };
        /** @description Whether the requested sponsorship pays, and why. The control API answers it as it is. */
        Sponsoring: {
            /** @description The id of the fee sponsorship. */
            fee_sponsorship_id: string;
            /** @description Whether it pays. */
            pays: boolean;
            /** @description Why, in one sentence. */
            reason: string;
            /** @description The decision of its policy about each call, up to the first that is not allowed. */
            calls: components["schemas"]["Decision"][];
        };
        /** @description The state after a replay. */
        StoppedAnswer: {
            /** @description The digests of the projects, by id; those that are put away are left out. */
            digests: {
                [key: string]: string;
            };
        };
        /** @description A share to store. The service does not look into `secret`. */
        StoreShare: {
            /** @description The share, encrypted or not. */
            secret: string;
            /**
             * @description What encrypts the share besides the service, such as a password of the `user`.
             * @enum {string}
             */
            entropy: "none" | "user" | "project" | "passkey";
            /**
             * @description What the address is derived from; absent for delegated accounts.
             * @default null
             */
            salt: string | null;
            /**
             * @description How often the password is hashed.
             * @default null
             */
            iterations: number | null;
            /**
             * @description How many bytes the key of encryption has.
             * @default null
             */
            length: number | null;
            /**
             * @description With which algorithm the password is hashed.
             * @default null
             */
            digest: string | null;
            /**
             * @description The part of the key of encryption that the developer has.
             * @default
             */
            encryption_part: string;
            /**
             * @description A session that stands for the encryption part.
             * @default
             */
            encryption_session: string;
            /**
             * @description Which of the user's shares it is.
             * @default
             */
            reference: string;
        };
        /** @description A share as it was stored. */
        StoredShare: {
            /** @description The share, encrypted or not. */
            secret: string;
            /**
             * @description What encrypts the share besides the service, such as a password of the `user`.
             * @enum {string}
             */
            entropy: "none" | "user" | "project" | "passkey";
            /** @description Which of the user's shares it is. */
            reference: string;
            /** @description What the address is derived from; absent for delegated accounts. */
            salt?: string;
            /** @description How often the password is hashed. */
            iterations?: number;
            /** @description How many bytes the key of encryption has. */
            length?: number;
            /** @description With which algorithm the password is hashed. */
            digest?: string;
        };
        /** @description A transaction to submit, or a bundle of up to five. */
        SubmitSolana: {
            /**
             * @description The id that the submitter gives it.
             * @default null
             */
            external_id: string | null;
            /**
             * @description How many transactions a bundle has.
             * @default 1
             */
            transactions: number;
            /**
             * @description Sign, but do not broadcast.
             * @default false
             */
            sign_only: boolean;
            /**
             * @description The Solana account that sends it; without one only policies of the project are asked.
             * @default null
             */
            account_id: string | null;
            /**
             * @description The id of the fee sponsorship.
             * @default null
             */
            fee_sponsorship_id: string | null;
            /**
             * @description What it does; of a bundle, what its transactions do together.
             * @default null
             */
            payload: components["schemas"]["SubmittedPayload"] | null;
        };
        /** @description What a transaction does, as policies see it. Without a `network` it is that of the project's mode. */
        SubmittedPayload: {
            /**
             * @description The Solana cluster.
             * @default null
             */
            network: ("mainnet-beta" | "devnet" | "testnet") | null;
            /**
             * @description The addresses that are given SOL.
             * @default null
             */
            recipients: string[] | null;
            /**
             * @description The lamports that are moved, as a decimal string.
             * @default null
             */
            solValue: string | null;
            /**
             * @description The addresses that are given tokens.
             * @default null
             */
            splRecipients: string[] | null;
            /**
             * @description The tokens that are moved, in their smallest unit.
             * @default null
             */
            splValue: string | null;
            /**
             * @description The mint of the token.
             * @default null
             */
            mintAddress: string | null;
            /**
             * @description The programs that are called.
             * @default null
             */
            programIds: string[] | null;
            /**
             * @description The text of the message.
             * @default null
             */
            solMessage: string | null;
            /**
             * @description The data of the instruction, as base64.
             * @default null
             */
            instructionData: string | null;
        };
        /** @description It is mined, and its calls succeed. */
        Successful: {
            /**
             * @description What kind of row it is for.
             * @constant
             */
            kind?: "transaction";
            /**
             * @description How many transactions it takes; null for every one.
             * @default 1
             */
            count: number | null;
            /** @description The transaction that it is for; the next one unless given. */
            transaction_id?: string;
            /** @description The EVM chain id. */
            chain_id?: number;
            /** @description The account whose next transaction it is for. */
            account_id?: string;
            /**
             * @description What becomes of the transaction.
             * @constant
             */
            outcome: "successful";
            /** @description When, in milliseconds since it was sent. */
            after_ms?: number;
        };
        /** @description A table and how many rows it has. */
        TableAnswer: {
            /** @description Such as `identity.users`. */
            name: string;
            /** @description How many rows it has. */
            rows: number;
        };
        /** @description A snapshot to take. */
        TakeSnapshot: {
            /**
             * @description Its id; `snapshot-1`, `snapshot-2` and so on unless given.
             * @default null
             */
            name: string | null;
        };
        /** @description A timer: when which event is due for which row. */
        TimerAnswer: {
            /** @description When it fires. */
            due: string;
            /** @description What kind of row it is for. */
            kind: string;
            /** @description The id of the object; its prefix tells the kind. */
            id: string;
            /** @description A status that was reached, or what the bundler observed. */
            event: string;
        };
        /** @description An address's balance of a token. */
        TokenBalanceAnswer: {
            /** @description The address of the token. */
            contract: string;
            /** @description The id of the token; only of ERC-721 and ERC-1155. */
            token_id: string | null;
            /** @description The balance. */
            balance: string;
        };
        /** @description A key of the project's JSON Web Key Set (JWKS). */
        TokenKeyAnswer: {
            /** @description The id of the key. */
            kid: string;
            /** @description When it was created, in ISO 8601. */
            created_at: string;
            /** @description Whether it signs new tokens. */
            signs: boolean;
            /** @description When it leaves the JWKS, because its last token has expired; null while it signs. */
            shown_until: string | null;
        };
        /** @description Metadata and price of an ERC-20. */
        TokenSettings: {
            /**
             * @description The decimals of the token; null for 18, and for 6 of USDC where a well-known chain has it.
             * @default null
             */
            decimals: number | null;
            /**
             * @description Its symbol; null for the registered contract's name, or for USDC.
             * @default null
             */
            symbol: string | null;
            /**
             * @description The price of a whole token, for dynamic rates.
             * @default 1
             */
            price_usd: string;
        };
        /** @description What was executed in a transaction. */
        TraceAnswer: {
            /** @description The id of the transaction. */
            transaction: string;
            /** @description Where and why it was reverted. */
            failure: string | null;
            /** @description Empty if no code was executed. */
            calls: components["schemas"]["TracedCallAnswer"][];
        };
        /** @description The operation to evaluate. */
        TracePayload: {
            /**
             * @description The EVM chain id (EIP-155).
             * @default null
             */
            chainId: number | null;
            /**
             * @description The address that is called.
             * @default null
             */
            to: string | null;
            /**
             * @description The wei that are sent, as a decimal string.
             * @default null
             */
            value: string | null;
            /**
             * @description The calldata.
             * @default null
             */
            data: string | null;
            /**
             * @description The contract that verifies the typed data.
             * @default null
             */
            verifyingContract: string | null;
            /**
             * @description The domain of the typed data (EIP-712).
             * @default null
             */
            domain: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The message of the typed data (EIP-712).
             * @default null
             */
            message: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The type of the message (EIP-712).
             * @default null
             */
            primaryType: string | null;
            /**
             * @description The text of an EIP-191 message.
             * @default null
             */
            evmMessage: string | null;
            /**
             * @description The Solana cluster.
             * @default null
             */
            network: ("mainnet-beta" | "devnet" | "testnet") | null;
            /**
             * @description The addresses that are given SOL.
             * @default null
             */
            recipients: string[] | null;
            /**
             * @description The lamports that are moved, as a decimal string.
             * @default null
             */
            solValue: string | null;
            /**
             * @description The addresses that are given tokens.
             * @default null
             */
            splRecipients: string[] | null;
            /**
             * @description The tokens that are moved, in their smallest unit.
             * @default null
             */
            splValue: string | null;
            /**
             * @description The mint of the token.
             * @default null
             */
            mintAddress: string | null;
            /**
             * @description The programs that are called.
             * @default null
             */
            programIds: string[] | null;
            /**
             * @description The text of the message.
             * @default null
             */
            solMessage: string | null;
            /**
             * @description The data of the instruction, as base64.
             * @default null
             */
            instructionData: string | null;
        };
        /** @description An operation to evaluate, for the project or for one of its accounts. */
        TracePolicies: {
            /**
             * @description The operation that it is about.
             * @enum {string}
             */
            operation: "signEvmTransaction" | "sendEvmTransaction" | "sponsorEvmTransaction" | "signEvmTypedData" | "signEvmMessage" | "signEvmHash" | "signSolTransaction" | "sendSolTransaction" | "sponsorSolTransaction" | "signSolMessage";
            /**
             * @description The id of the account, `acc_...`.
             * @default null
             */
            accountId: string | null;
            /**
             * @description What to sign.
             * @default null
             */
            payload: components["schemas"]["TracePayload"] | null;
        };
        /** @description A call that was executed; those that it made follow it, one level deeper. */
        TracedCallAnswer: {
            /** @description How many calls it is within. */
            depth: number;
            /** @description CALL, CALLCODE, DELEGATECALL, STATICCALL, CREATE or CREATE2. */
            kind: string;
            /** @description The address that made it. */
            sender: string;
            /** @description The address whose code was executed. */
            to: string;
            /** @description The call as it would be written, as far as the contract is registered. */
            call: string;
            /** @description What it moved, or of a delegated call what the caller was paid. */
            value_wei: string;
            /** @description The beginning of its data. */
            input: string;
            /** @description The beginning of what it returned, or of the data of its revert. */
            output: string;
            /** @description Before refunds, with the calls that it made. */
            gas_used: number;
            /** @description Why it was undone. */
            error: string | null;
            /** @description The line of its source file that undid it, if its artifact has a source map. */
            line: string | null;
        };
        /** @description The moment whose state a project has again. */
        TravelAnswer: {
            /** @description The number of the event. */
            n: number;
            /** @description What the clock shows. */
            now: string;
        };
        /** @description Where a project goes back to. */
        TravelBody: {
            /** @description The number of an event: the state after it. */
            to: number;
        };
        /** @description The calls are as expected. */
        VerifiedAnswer: {
            /** @description How many calls matched; of a sequence, how many steps it has. */
            found: number;
        };
        /** @description Which calls are meant, and how many there have to be; at least one unless something else is said. */
        VerifyCalls: {
            /** @description An operation id, or a method and a path, or a list of which any will do. */
            call?: string | string[];
            /** @description Headers of the request by name: a value, or `equals`, `contains`, `matches` and `present`. */
            headers?: {
                [key: string]: unknown;
            };
            /** @description Members of the query by name, in the same way. */
            query?: {
                [key: string]: unknown;
            };
            /** @description Values in the body by path, such as `calls[0].to`, in the same way. */
            body?: {
                [key: string]: unknown;
            };
            /**
             * @description So many calls.
             * @default null
             */
            exactly: number | null;
            /**
             * @description So many calls or more.
             * @default null
             */
            at_least: number | null;
            /**
             * @description So many calls or fewer.
             * @default null
             */
            at_most: number | null;
            /**
             * @description The fewest and the most calls.
             * @default null
             */
            between: number[] | null;
            /**
             * @description No call.
             * @default false
             */
            never: boolean;
            /**
             * @description Only calls that come after the exchange with this number in the journal.
             * @default 0
             */
            since: number;
            /**
             * @description Waits so long in real time for enough calls, such as `5s`; where none is enough, all the time.
             * @default null
             */
            within: string | null;
        };
        /** @description Calls in the order in which they have to arrive; others may come in between. */
        VerifySequence: {
            /** @description Which call is meant by each step: an operation id, or what `verify` takes. */
            calls: (string | components["schemas"]["CallMatcher"])[];
            /**
             * @description Only calls that come after the exchange with this number in the journal.
             * @default 0
             */
            since: number;
            /**
             * @description Waits so long in real time until all have arrived, such as `5s`.
             * @default null
             */
            within: string | null;
        };
        /** @description A P-256 private key as clients take it: PKCS#8 in base64. */
        WalletSecretAnswer: {
            /** @description The wallet secret, base64 of its PKCS#8 DER. */
            wallet_secret: string;
        };
        /** @description A token for one request. */
        WalletTokenAnswer: {
            /** @description What to send as `X-Wallet-Auth`. */
            token: string;
        };
        /** @description The new secret. */
        WebhookSecretAnswer: {
            /** @description The secret that webhooks are signed with. */
            signingSecret: string;
            /** @description Its last four characters. */
            hint: string;
            /** @description When it was last changed, in seconds since 1970. */
            updatedAt: number;
            /** @description Whether the project is in live mode. */
            livemode: boolean;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    ListJournal: {
        parameters: {
            query?: {
                /** @description How many entries the page may have. */
                limit?: number;
                /** @description How many entries to skip. */
                skip?: number;
                /** @description By time of creation, `asc` with the oldest first or `desc` with the newest first. */
                order?: "asc" | "desc";
                /** @description Seconds of real time to wait for a first match. */
                wait?: number;
                /** @description Show keys, tokens, passwords and codes too. */
                unmasked?: boolean;
                /** @description An operation id; an unknown one is an error. */
                operation?: string;
                /** @description A status such as `404`, a class such as `4xx`, or `0` for no answer. */
                status?: string;
                /** @description A prefix of the path, or a pattern with `*`. */
                path?: string;
                /** @description The method of the request. */
                method?: string;
                /** @description Only exchanges with a higher number. */
                since?: number;
                /** @description The request's `x-request-id`. */
                request_id?: string;
                /** @description Whether a rule decided about the call; false for those that no rule matched. */
                matched?: boolean;
                /** @description Only exchanges up to this number. */
                until?: number;
                /** @description Only exchanges that a client saw fail: a status of 400 or more, an error of JSON-RPC, no answer, or a lost or spoilt one. */
                failed?: boolean;
                /** @description Only exchanges whose answer a fault spoilt. */
                faulted?: boolean;
                /** @description The name of a scenario's rule, or a pattern with `*`. */
                rule?: string;
                /** @description A text in the path, the query, a header or a body, in any case of letters. */
                text?: string;
                /** @description Leave out headers and bodies. */
                brief?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The id of a project, or `-` for the project of the API key in `Authorization`.
                 * @example pro_57f0c491-0abd-4706-8226-5d8fdda46a97
                 */
                p: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    ListOutbox: {
        parameters: {
            query?: {
                /** @description How many entries the page may have. */
                limit?: number;
                /** @description How many entries to skip. */
                skip?: number;
                /** @description By time of creation, `asc` with the oldest first or `desc` with the newest first. */
                order?: "asc" | "desc";
                /** @description Seconds of real time to wait for a first match. */
                wait?: number;
                /** @description The recipient's e-mail address or phone number. */
                to?: string;
                /** @description Whether it is an e-mail or a text message. */
                channel?: "email" | "sms";
                /** @description What the message is for, such as `verify-email`. */
                kind?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of a project, or `-` for the project of the API key in `Authorization`.
                 * @example pro_1f12cf5f-5164-4f53-b26c-c31f555faca0
                 */
                p: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    ListDeliveries: {
        parameters: {
            query?: {
                /** @description How many entries the page may have. */
                limit?: number;
                /** @description How many entries to skip. */
                skip?: number;
                /** @description By time of creation, `asc` with the oldest first or `desc` with the newest first. */
                order?: "asc" | "desc";
                /** @description Seconds of real time to wait for a first match. */
                wait?: number;
                /** @description What it is about. */
                topic?: "transaction_intent.broadcast" | "transaction_intent.successful" | "transaction_intent.cancelled" | "transaction_intent.failed" | "balance.project" | "balance.contract" | "balance.dev_account" | "test" | "user.created" | "user.updated" | "user.deleted" | "account.created" | "solana_transaction.broadcast" | "solana_transaction.successful" | "solana_transaction.failed" | "funding.session.updated" | "transaction.submitted" | "transaction.succeeded" | "transaction.failed";
                /** @description Whether it was done. */
                status?: "waiting" | "due" | "held" | "lost" | "succeeded" | "failed";
                /** @description The URL of a webhook, or an e-mail address. */
                target?: string;
                /** @description The id of what it is about. */
                resource?: string;
                /** @description The id of the trigger, `tri_...`. */
                trigger?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of a project, or `-` for the project of the API key in `Authorization`.
                 * @example pro_c26fce93-0602-4ba2-822b-d34c25743cd8
                 */
                p: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
}
