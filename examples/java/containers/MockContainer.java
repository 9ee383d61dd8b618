package shop;

import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

/** A mock server in a container, once `start()` has been called. */
final class MockContainer extends GenericContainer<MockContainer> {
    static final String TOKEN = "my-control-token";

    MockContainer(String image) {
        super(image);
        withExposedPorts(4242);
        withEnv("MOCKSERVER_CLOCK", "frozen");
        withEnv("MOCKSERVER_CONTROL_TOKEN", TOKEN);
        waitingFor(Wait.forHttp("/_mock/ready").forPort(4242));
    }

    String url() {
        return "http://" + getHost() + ":" + getMappedPort(4242);
    }
}
