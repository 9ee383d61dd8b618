package shop;

import com.google.gson.Gson;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A shop's own backend code. It knows the API, and nothing of the mock server. */
public final class Shop {
    private static final Gson JSON = new Gson();
    private static final int ATTEMPTS = 3;

    private final HttpClient http = HttpClient.newHttpClient();
    private final String url;
    private final Map<String, String> anonymous;
    private final Map<String, String> backend;

    public Shop(String url, String secretKey, String publishableKey) {
        this.url = url;
        this.anonymous = Map.of("X-Project-Key", publishableKey);
        this.backend = Map.of("Authorization", "Bearer " + secretKey);
    }

    /** Mails a code to sign in with. */
    public void sendCode(String email) throws IOException, InterruptedException {
        var body = Map.of("email", email, "type", "sign-in");
        call("POST", "/iam/v2/auth/email-otp/send-verification-otp", anonymous, body, Object.class);
    }

    /** Takes the code from the mail. The first sign-in makes the user. */
    public Session signIn(String email, String code) throws IOException, InterruptedException {
        var body = Map.of("email", email, "otp", code);
        return call("POST", "/iam/v2/auth/sign-in/email-otp", anonymous, body, Session.class);
    }

    /** Tells whose token it is. */
    public User whoIs(String token) throws IOException, InterruptedException {
        var headers = new HashMap<>(anonymous);
        headers.put("Authorization", "Bearer " + token);
        return call("GET", "/iam/v2/auth/get-session", headers, null, Session.class).user;
    }

    /** Makes a payment once. If no answer came, it asks again: with the same key, nothing is paid twice. */
    public Transaction pay(String order, Payment payment) throws IOException, InterruptedException {
        var headers = new HashMap<>(backend);
        headers.put("X-Idempotency-Key", order);
        for (int attempt = 1; ; attempt++) {
            try {
                return call("POST", "/v2/transactions", headers, payment, Transaction.class);
            } catch (IOException broken) {
                if (attempt == ATTEMPTS) {
                    throw broken;
                }
            }
        }
    }

    /** Finds a payment by its id. */
    public Transaction transaction(String id) throws IOException, InterruptedException {
        return call("GET", "/v2/transactions/" + id, backend, null, Transaction.class);
    }

    /** The newest payments. */
    public List<Transaction> transactions() throws IOException, InterruptedException {
        return call("GET", "/v2/transactions", backend, null, Page.class).data;
    }

    private <T> T call(String method, String path, Map<String, String> headers, Object body, Class<T> type)
            throws IOException, InterruptedException {
        var sent = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(JSON.toJson(body));
        var request = HttpRequest.newBuilder(URI.create(url + path)).method(method, sent);
        request.header("Content-Type", "application/json");
        headers.forEach(request::header);
        var response = http.send(request.build(), BodyHandlers.ofString());
        if (response.statusCode() >= 300) {
            throw new IllegalStateException(
                    method + " " + path + ": " + response.statusCode() + " " + response.body());
        }
        return JSON.fromJson(response.body(), type);
    }

    /** A customer. */
    public static final class User {
        public String id;
        public String email;
    }

    /** A customer's sign-in. */
    public static final class Session {
        public String token;
        public User user;
    }

    /** What a transaction does. */
    public record Call(String to, String value) {}

    /** A transaction to be made. Values are in wei. */
    public record Payment(
            int chainId, String accountId, String feeSponsorshipId, List<Call> calls, boolean waitForReceipt) {}

    /** What is known once a transaction is mined. */
    public static final class Receipt {
        public String transactionHash;
        public String gasFee;
    }

    /** A payment that was made. */
    public static final class Transaction {
        public String id;
        public String status;
        public Receipt receipt;
    }

    private static final class Page {
        List<Transaction> data;
    }
}
