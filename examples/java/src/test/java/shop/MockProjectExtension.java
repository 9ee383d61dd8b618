package shop;

import java.nio.file.Path;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Gives each test a {@link MockProject} of its own, as a parameter of its methods, and deletes it after the test. Of a test
 * that fails it prints the server's report of what the test did.
 *
 * <pre>{@code @RegisterExtension
 * final MockProjectExtension mock = new MockProjectExtension(Path.of("shop.yaml"));}</pre>
 */
final class MockProjectExtension
        implements ParameterResolver,
                BeforeTestExecutionCallback,
                TestExecutionExceptionHandler,
                LifecycleMethodExecutionExceptionHandler {
    private final Path scenario;

    MockProjectExtension(Path scenario) {
        this.scenario = scenario;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == MockProject.class;
    }

    @Override
    public MockProject resolveParameter(ParameterContext parameter, ExtensionContext test) {
        // It is closed with the store, at the end of the test.
        return store(test).getOrComputeIfAbsent(MockProject.class, key -> open(), MockProject.class);
    }

    @Override
    public void beforeTestExecution(ExtensionContext test) throws Exception {
        var project = project(test);
        if (project != null) {
            project.beginTest();
        }
    }

    @Override
    public void handleTestExecutionException(ExtensionContext test, Throwable thrown) throws Throwable {
        printReport(test);
        throw thrown;
    }

    @Override
    public void handleBeforeEachMethodExecutionException(ExtensionContext test, Throwable thrown) throws Throwable {
        printReport(test);
        throw thrown;
    }

    private MockProject open() {
        try {
            return new MockProject(scenario);
        } catch (Exception refused) {
            throw new IllegalStateException(refused.getMessage(), refused);
        }
    }

    private static void printReport(ExtensionContext test) throws Exception {
        var project = project(test);
        if (project != null) { // Surefire shows neither suppressed exceptions nor entries of a TestReporter.
            System.err.println(test.getDisplayName() + "\n" + project.report());
        }
    }

    private static MockProject project(ExtensionContext test) {
        return store(test).get(MockProject.class, MockProject.class);
    }

    private static ExtensionContext.Store store(ExtensionContext test) {
        return test.getStore(ExtensionContext.Namespace.create(MockProjectExtension.class, test.getRequiredTestMethod()));
    }
}
