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
        /** @description The prices of gas and of the coin of a chain; None keeps the default. */
        ChainSettings: {
            /**
             * @description The base fee of a unit of gas (EIP-1559).
             * @default null
             */
            base_fee_wei?: number | null;
            /**
             * @description The priority fee of a unit of gas.
             * @default null
             */
            priority_fee_wei?: number | null;
            /**
             * @description The price of a unit of L1 gas, for rollups.
             * @default null
             */
            l1_gas_price_wei?: number | null;
            /**
             * @description The price of the chain's native coin.
             * @default null
             */
            native_price_usd?: string | null;
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
            artifact?: {
                [key: string]: unknown;
            } | string | null;
            /**
             * @description Which contract, in an output of solc that has several.
             * @default null
             */
            contract?: string | null;
            /**
             * @description The creation code, without an artifact.
             * @default null
             */
            bytecode?: string | null;
            /**
             * @description The name under which it is registered; that of the contract when left out.
             * @default null
             */
            name?: string | null;
            /**
             * @description The account that creates it.
             * @default null
             */
            sender?: string | null;
            /**
             * @description What the constructor is paid. The coins are issued for it.
             * @default 0
             */
            value_wei?: string;
            /**
             * @description Create it by CREATE2, through the deterministic deployment proxy.
             * @default null
             */
            salt?: string | null;
            /**
             * @description Create it at this address, in place of what is there.
             * @default null
             */
            address?: string | null;
            /**
             * @description Create it at the address of this entry point, whose user operations it validates and executes then.
             * @default null
             */
            entry_point?: ("0.6" | "0.7" | "0.8" | "0.9") | null;
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
            count?: number | null;
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
            /** @description What else may explain the answer: members that were ignored, and where ids are that were not found. */
            findings?: string[];
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
            count?: number | null;
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
            count?: number | null;
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
             * @enum {string}
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
            /** @description The token of the link, which an application sends that takes the link itself. */
            token?: string;
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
            count?: number | null;
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
        /** @description A payment from outside, which arrives as late as a transaction. */
        PayFundingSession: {
            /**
             * @description How much of the source's currency, in its smallest unit; what is due unless given.
             * @default null
             */
            amount?: string | null;
            /**
             * @description Whether it is sent back. So is too little, and what is late for a `strict` session.
             * @default false
             */
            bounces?: boolean;
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
        /** @description The blocks that were replaced, and the transactions that were in them. */
        ReorganizationAnswer: {
            /** @description The number of the first block that was replaced. */
            first_block: number;
            /** @description The number of the last block that was replaced. */
            last_block: number;
            /** @description The transactions. */
            transactions: string[];
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
            count?: number | null;
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
            reincluded?: boolean;
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
            count?: number | null;
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
            count?: number | null;
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
            balance_wei?: string | null;
            /**
             * @description The nonce.
             * @default null
             */
            nonce?: number | null;
            /**
             * @description Code to be executed when it is called (not creation code); `0x` for none.
             * @default null
             */
            code?: string | null;
        };
        /** @description The clock's new mode, rate and time. What is left out stays as it is. */
        SetClock: {
            /**
             * @description Whether the clock is frozen or ticks.
             * @default null
             */
            mode?: ("frozen" | "ticking") | null;
            /**
             * @description How many times as fast as real time the clock ticks.
             * @default null
             */
            rate?: number | null;
            /**
             * @description The project's time.
             * @default null
             */
            now?: string | null;
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
            topic?: ("transaction_intent.broadcast" | "transaction_intent.successful" | "transaction_intent.cancelled" | "transaction_intent.failed" | "balance.project" | "balance.contract" | "balance.dev_account" | "test" | "user.created" | "user.updated" | "user.deleted" | "account.created" | "solana_transaction.broadcast" | "solana_transaction.successful" | "solana_transaction.failed" | "funding.session.updated" | "transaction.submitted" | "transaction.succeeded" | "transaction.failed") | null;
            /**
             * @description The URL of a webhook, or an e-mail address.
             * @default null
             */
            target?: string | null;
            /**
             * @description How many it takes; null for every one.
             * @default 1
             */
            count?: number | null;
            /**
             * @description With which of them it begins; those before it are delivered as always.
             * @default 1
             */
            nth?: number;
            /**
             * @description How late they are.
             * @default null
             */
            after_ms?: number | null;
            /**
             * @description What is answered in place of the receiver.
             * @default null
             */
            status?: number | null;
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
            token_id?: string | null;
        };
        /** @description The settings of a project: every default that a test may need to change. */
        Settings: {
            /**
             * @description Sign-up answers `token: null`, and signing in is refused until the address is verified.
             * @default false
             */
            email_verification_required?: boolean;
            /**
             * @description Proving an e-mail address, by link or by code, signs the user in.
             * @default false
             */
            auto_sign_in_after_verification?: boolean;
            /**
             * @description `get-session` without a valid session answers 200 `null` instead of 401.
             * @default false
             */
            get_session_answers_null?: boolean;
            /**
             * @description Users may sign in anonymously. Without it, Sign-In with Ethereum asks for an e-mail address.
             * @default true
             */
            anonymous_sign_in?: boolean;
            /**
             * @description How long a session is valid after its last renewal.
             * @default 604800000
             */
            session_lifetime_ms?: number;
            /**
             * @description How long a session with `rememberMe: false` is valid; it is not renewed.
             * @default 86400000
             */
            short_session_lifetime_ms?: number;
            /**
             * @description A request renews its session if the last renewal is this long ago.
             * @default 86400000
             */
            session_renewed_after_ms?: number;
            /**
             * @description How long a one-time code is valid.
             * @default 300000
             */
            one_time_code_lifetime_ms?: number;
            /**
             * @description How long a mailed link is valid.
             * @default 3600000
             */
            link_lifetime_ms?: number;
            /**
             * @description How long a nonce of Sign-In with Ethereum is valid.
             * @default 900000
             */
            siwe_nonce_lifetime_ms?: number;
            /**
             * @description How long an access token is valid, and never longer than its session; null is as long as that.
             * @default null
             */
            access_token_lifetime_ms?: number | null;
            /**
             * @description The issuer of access tokens (`iss`). Tokens of another are refused.
             * @default openfort.xyz
             */
            access_token_issuer?: string;
            /**
             * @description The audience of access tokens (`aud`); null is the project's id. Tokens for another are refused.
             * @default null
             */
            access_token_audience?: string | null;
            /**
             * @description Every one-time code is this one.
             * @default null
             */
            one_time_code?: string | null;
            /**
             * @description The share service creates a session for a user with a share only with a one-time code it sent them.
             * @default false
             */
            recovery_code_required?: boolean;
            /**
             * @description Where links may lead back to, and requests with cookies come from, such as `https://shop.example`. Null trusts every origin with links, and with cookies those of the machine itself.
             * @default null
             */
            trusted_origins?: string[] | null;
            /**
             * @description Limit how often a client calls the endpoints of `/iam/v2/auth`.
             * @default false
             */
            rate_limits?: boolean;
            /**
             * @description Addresses of contract wallets (ERC-1271, ERC-6492). Any signature of them is accepted.
             * @default []
             */
            contract_wallets?: string[];
            /**
             * @description The fewest characters that a new password may have.
             * @default 8
             */
            password_min_length?: number;
            /**
             * @description The most characters that a new password may have.
             * @default 128
             */
            password_max_length?: number;
            /**
             * @description The developer's requests count as made after multi-factor authentication, which rotating needs.
             * @default false
             */
            aal2?: boolean;
            /**
             * @description Refuse what is otherwise accepted beyond the specification with the header `x-mockserver-hint`.
             * @default false
             */
            strict?: boolean;
            /**
             * @description Refuse plain HTTP; `X-Forwarded-Proto` counts.
             * @default false
             */
            require_https?: boolean;
            /**
             * @description What to do with a chain id that is in no table.
             * @default accept
             * @enum {string}
             */
            unknown_chains?: "accept" | "refuse";
            /**
             * @description The chain of smart and delegated accounts that are created without `chainId`. Null is Base: 84532 (Base Sepolia) with test keys, 8453 with live keys.
             * @default null
             */
            default_chain_id?: number | null;
            /**
             * @description The starting balance of every account on every chain; on Solana 10^18 are a SOL.
             * @default 1000000000000000000
             */
            starting_balance_wei?: number;
            /**
             * @description The starting deposit of every paymaster at the entry point of every chain.
             * @default 1e+24
             */
            sponsor_deposit_wei?: number;
            /**
             * @description The most gas that a call of a contract with code may take, in a transaction and in a read.
             * @default 16777216
             */
            contract_gas_limit?: number;
            /**
             * @description Token transfers beyond what the holder has are reverted. Otherwise the holder is assumed to have had the difference before the mock started.
             * @default false
             */
            strict_token_balances?: boolean;
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
            transaction_confirms_after_ms?: number;
            /**
             * @description From submission of a Solana transaction to its confirmation.
             * @default 1000
             */
            solana_confirms_after_ms?: number;
            /**
             * @description When a Solana transaction that never lands expires.
             * @default 90000
             */
            solana_expires_after_ms?: number;
            /**
             * @description The longest wait of an answer for a receipt.
             * @default 30000
             */
            wait_limit_ms?: number;
            /**
             * @description How long the first answer to an X-Idempotency-Key is remembered.
             * @default 86400000
             */
            idempotency_lifetime_ms?: number;
            /**
             * @description How long what has expired is kept: sessions, codes, nonces, links, authorizations, rate limits.
             * @default 2592000000
             */
            expired_kept_ms?: number;
            /**
             * @description How many codes, links and nonces are kept, expired or not: the newest. And as many authorizations, idempotent answers, rate limit windows, attempts that faults count, and used wallet auth tokens.
             * @default 10000
             */
            pending_kept?: number;
            /**
             * @description How many sessions a user may have; beyond it the oldest are dropped.
             * @default 1000
             */
            sessions_per_user?: number;
            /**
             * @description How many settled transactions are kept, as many that await a signature, and as many of Solana. And as many funding sessions that ended, and encryption sessions. The oldest are dropped.
             * @default 10000
             */
            settled_kept?: number;
            /**
             * @description How many deleted contracts are kept, and as many policies, fee sponsorships and developer accounts. And as many ended session keys and wallet secrets.
             * @default 1000
             */
            deleted_kept?: number;
            /**
             * @description How many messages the outbox keeps, and as many webhooks and attempts to send them. The oldest are dropped.
             * @default 10000
             */
            messages_kept?: number;
            /**
             * @description What webhooks are signed with; null is the secret key without `sk_`, `test_` and hyphens.
             * @default null
             */
            webhook_secret?: string | null;
            /**
             * @description The hosts besides loopback to which webhooks are sent, such as `shop.example`.
             * @default []
             */
            webhook_hosts?: string[];
            /**
             * @description How long after a change its webhooks are sent.
             * @default 0
             */
            webhook_delay_ms?: number;
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
            webhook_retries_ms?: number[];
            /**
             * @description After how many failed attempts in a row a trigger is deactivated.
             * @default 10
             */
            webhook_failures?: number;
            /**
             * @description How many snapshots are kept; the oldest are dropped.
             * @default 100
             */
            snapshots_kept?: number;
            /**
             * @description The price of a native coin, for `costUsd`, on chains without their own setting.
             * @default 2500
             */
            native_price_usd?: string;
            /**
             * @description The ids of the projects that may act on this one's behalf (`X-Behalf-Of-Project`).
             * @default []
             */
            ecosystems?: string[];
            /**
             * @description The providers that users may sign in with; null is every one.
             * @default null
             */
            social_providers?: ("google" | "apple" | "twitter" | "discord" | "facebook" | "epic_games" | "line" | "telegram")[] | null;
            /**
             * @description The providers that make a new user only where the sign-in says `requestSignUp`.
             * @default []
             */
            sign_up_on_request?: ("google" | "apple" | "twitter" | "discord" | "facebook" | "epic_games" | "line" | "telegram")[];
            /**
             * @description Let a user link a social identity whose e-mail address is another one than theirs.
             * @default false
             */
            link_different_emails?: boolean;
            /** @description The public keys of providers, each a list of JWKs (RFC 7517). Their tokens must be signed with one. */
            provider_keys?: {
                [key: string]: {
                    [key: string]: unknown;
                }[];
            };
        };
        /** @description What to sign: exactly one of the four. A message of 0x and hexadecimal digits is taken as bytes. */
        SignAsUser: {
            /**
             * @description A hash to sign as it is.
             * @default null
             */
            hash?: string | null;
            /**
             * @description A text to sign with the prefix of EIP-191.
             * @default null
             */
            message?: string | null;
            /**
             * @description Typed data to sign (EIP-712).
             * @default null
             */
            typedData?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description A transaction to sign.
             * @default null
             */
            transaction?: string | null;
        };
        /** @description It is confirmed. */
        SolanaConfirmed: {
            /**
             * @description How many transactions it takes; null for every one.
             * @default 1
             */
            count?: number | null;
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
            count?: number | null;
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
            count?: number | null;
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
            count?: number | null;
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
        /** @description Metadata and price of an ERC-20. */
        TokenSettings: {
            /**
             * @description The decimals of the token; null for 18, and for 6 of USDC where a well-known chain has it.
             * @default null
             */
            decimals?: number | null;
            /**
             * @description Its symbol; null for the registered contract's name, or for USDC.
             * @default null
             */
            symbol?: string | null;
            /**
             * @description The price of a whole token, for dynamic rates.
             * @default 1
             */
            price_usd?: string;
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
                 * @example pro_6a485c99-889a-4fe2-ba64-88ead670732a
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
