package shop;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A project of one test: its own keys, rows and clock. What a test asks of the mock server goes through its control API,
 * under /_mock.
 */
final class MockProject implements ExtensionContext.Store.CloseableResource {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Gson JSON = new Gson();

    private final String url;
    private final JsonObject project;
    private final JsonObject captured;
    private int began = 0;

    /** Makes a project that is set up by a scenario. */
    MockProject(Path scenario) throws IOException, InterruptedException {
        url = System.getenv("MOCKSERVER_URL");
        if (url == null) {
            throw new IllegalStateException("MOCKSERVER_URL is not set: run mockserver exec -- mvn test");
        }
        project = control("POST", "", "{\"clock\": {\"mode\": \"frozen\"}}");
        captured = load(Files.readString(scenario)).getAsJsonObject("captured");
    }

    String url() {
        return url;
    }

    String secretKey() {
        return member(project, "secret_key");
    }

    String publishableKey() {
        return member(project, "publishable_key");
    }

    /** The id of what a step of the scenario made. */
    String id(String name) {
        assertTrue(captured.has(name), "the scenario captures no " + name);
        return member(captured.getAsJsonObject(name), "id");
    }

    /** Adds the rules of a scenario. */
    JsonObject load(String scenario) throws IOException, InterruptedException {
        return control("POST", path("/scenarios"), scenario);
    }

    /** The code in the newest mail to an address. */
    String code(String email) throws IOException, InterruptedException {
        var mails = control("GET", path("/outbox?order=desc&limit=1&to=" + email), "").getAsJsonArray("data");
        assertFalse(mails.isEmpty(), "there is no mail to " + email);
        return member(mails.get(0).getAsJsonObject(), "code");
    }

    /** Moves the clock. */
    void advance(int seconds) throws IOException, InterruptedException {
        control("POST", path("/clock/advance"), "{\"seconds\": " + seconds + "}");
    }

    /** What a sponsorship has paid for gas, in wei. */
    String spent(String sponsorship) throws IOException, InterruptedException {
        return member(control("GET", path("/fee-sponsorships/" + sponsorship + "/budget"), ""), "spent_wei");
    }

    /** Fails unless the calls were made. */
    void verify(String calls) throws IOException, InterruptedException {
        control("POST", path("/verify"), calls);
    }

    /** Notes that what is called from now on is the test's own: a report leaves out what came before. */
    void beginTest() throws IOException, InterruptedException {
        var latest = control("GET", path("/journal?order=desc&limit=1&brief=true"), "").getAsJsonArray("data");
        began = latest.isEmpty() ? 0 : latest.get(0).getAsJsonObject().get("n").getAsInt();
    }

    /** What the test did, as the server reports it: the calls, the errors, rules and fates that came to nothing. */
    String report() throws IOException, InterruptedException {
        var sections = control("GET", path("/report?since=" + began), "").getAsJsonArray("sections");
        var text = new StringBuilder();
        for (var section : sections) {
            text.append("--- ").append(member(section.getAsJsonObject(), "title")).append(" ---\n");
            section.getAsJsonObject().getAsJsonArray("lines").forEach(line -> text.append(line.getAsString()).append('\n'));
        }
        return text.toString();
    }

    /** Deletes the project. */
    @Override
    public void close() throws IOException, InterruptedException {
        control("DELETE", path(""), "");
    }

    private String path(String rest) {
        return "/" + member(project, "id") + rest;
    }

    private JsonObject control(String method, String path, String body) throws IOException, InterruptedException {
        var builder = HttpRequest.newBuilder(URI.create(url + "/_mock/projects" + path))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .header("Content-Type", path.endsWith("/scenarios") ? "application/yaml" : "application/json");
        var token = System.getenv("MOCKSERVER_CONTROL_TOKEN");
        if (token != null) { // Only a server that other machines reach has one.
            builder.header("X-Mockserver-Token", token);
        }
        var request = builder.build();
        var response = HTTP.send(request, BodyHandlers.ofString());
        if (response.statusCode() >= 300) {
            throw new AssertionError(method + " " + request.uri() + ": " + detail(response));
        }
        return JSON.fromJson(response.body(), JsonObject.class);
    }

    private static String detail(HttpResponse<String> response) {
        var type = response.headers().firstValue("Content-Type").orElse("");
        var isProblem = type.startsWith("application/problem+json");
        return response.statusCode() + " "
                + (isProblem ? member(JSON.fromJson(response.body(), JsonObject.class), "detail") : response.body());
    }

    private static String member(JsonObject of, String name) {
        return of.get(name).getAsString();
    }
}
