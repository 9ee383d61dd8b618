package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ShopTest {
    private static final String ADA = "ada@example.com";
    private static final String LOST_ANSWER = """
            name: lost answer
            rules:
              - when: CreateTransaction
                then: {fault: {connection_reset_by_peer: {effect: done, times: 1}}}
            """;

    @RegisterExtension
    final MockProjectExtension mock = new MockProjectExtension(Path.of("../shop.yaml"));

    private MockProject project;
    private Shop shop;

    @BeforeEach
    void connect(MockProject project) {
        this.project = project;
        shop = new Shop(project.url(), project.secretKey(), project.publishableKey());
    }

    @Test
    void customerSignsInByCode() throws Exception {
        var first = signIn();
        var user = shop.whoIs(first.token);
        assertEquals(first.user.id, user.id);
        assertEquals(ADA, user.email);

        assertEquals(first.user.id, signIn().user.id);
    }

    @Test
    void sponsoredPaymentConfirms() throws Exception {
        var paid = shop.pay("order-16", payment());
        assertEquals("sent", paid.status);

        project.advance(2);
        var confirmed = shop.transaction(paid.id);
        assertEquals("successful", confirmed.status);
        assertNotNull(confirmed.receipt.transactionHash);
        assertEquals(confirmed.receipt.gasFee, project.spent(project.id("sponsorship")));
    }

    @Test
    void lostAnswerIsRetriedOnce() throws Exception {
        project.load(LOST_ANSWER);
        var paid = shop.pay("order-17", payment());

        var all = shop.transactions();
        assertEquals(1, all.size());
        assertEquals(paid.id, all.get(0).id);
        project.verify("""
                {"call": "CreateTransaction", "headers": {"x-idempotency-key": "order-17"}, "exactly": 2}
                """);
    }

    private Shop.Session signIn() throws Exception {
        shop.sendCode(ADA);
        return shop.signIn(ADA, project.code(ADA));
    }

    private Shop.Payment payment() {
        var call = new Shop.Call("0x00000000000000000000000000000000000000a1", "1000");
        return new Shop.Payment(80002, project.id("till"), project.id("sponsorship"), List.of(call), false);
    }
}
