package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests beyond what a device has. */
abstract class LimitContract extends ContractGroup {

    private static final ContractLimits LIMITS = new ContractLimits(3, 3, 3, 3);

    private final Closer closer = new Closer();

    LimitContract(VerbsContractTest subject) {
        super(subject);
    }

    @AfterEach
    void closeLimited() {
        closer.close();
    }

    private VerbsContext limited() {
        VerbsContext context = subject.openWithLimits(LIMITS).orElse(null);
        Assumptions.assumeTrue(context != null, "the limits of the device cannot be chosen");
        return closer.add(context);
    }

    /** The first three work, the fourth is refused with ENOMEM, and closing one makes room again. */
    private <T extends VerbsResource> void assertThreeAtOnce(Supplier<T> factory) {
        List<T> open = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            open.add(closer.add(factory.get()));
        }
        assertFails(Errno.ENOMEM, factory::get);
        open.get(1).close();
        closer.add(factory.get());
        assertFails(Errno.ENOMEM, factory::get);
    }

    @Test
    void whenThereAreAsManyProtectionDomainsAsTheDeviceHasThenEnomem() {
        VerbsContext context = limited();
        assertThreeAtOnce(context::allocateProtectionDomain);
    }

    @Test
    void whenThereAreAsManyCompletionQueuesAsTheDeviceHasThenEnomem() {
        VerbsContext context = limited();
        assertThreeAtOnce(() -> context.createCompletionQueue(4, null));
    }

    @Test
    void whenThereAreAsManyRegionsAsTheDeviceHasThenEnomem() {
        VerbsContext context = limited();
        ProtectionDomain domain = closer.add(context.allocateProtectionDomain());
        Buffer memory = left.buffer(4096);
        assertThreeAtOnce(
                () -> domain.registerMemory(memory.address(), memory.length(), Set.of(AccessFlag.LOCAL_WRITE)));
    }

    @Test
    void whenThereAreAsManyQueuePairsAsTheDeviceHasThenEnomem() {
        VerbsContext context = limited();
        ProtectionDomain domain = closer.add(context.allocateProtectionDomain());
        CompletionQueue queue = closer.add(context.createCompletionQueue(16, null));
        QueuePairCapabilities small = new QueuePairCapabilities(4, 4, 1, 1, 0);
        assertThreeAtOnce(() -> domain.createQueuePair(QueuePairOptions.reliableConnected(queue, small)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"sends", "receives", "negative"})
    void whenAQueuePairIsTooLargeThenItIsRefused(String what) {
        int tooMany = left.context().queryDevice().maxQueuePairWorkRequests() + 1;
        QueuePairCapabilities wanted = switch (what) {
            case "sends" -> new QueuePairCapabilities(tooMany, 1, 1, 1, 0);
            case "receives" -> new QueuePairCapabilities(1, tooMany, 1, 1, 0);
            default -> new QueuePairCapabilities(-1, 1, 1, 1, 0);
        };
        CompletionQueue queue = left.completionQueue(16);
        VerbsException failure = catchThrowableOfType(
                VerbsException.class,
                () -> left.domain().createQueuePair(QueuePairOptions.reliableConnected(queue, wanted)));
        assertThat(failure).isNotNull();
        assertThat(failure.errno()).isIn(Errno.EINVAL, Errno.ENOMEM);
        assertThat(failure.call()).isEqualTo("ibv_create_qp");
    }

    @Test
    void whenInlineDataIsLargerThanTheDeviceAllowsThenTheQueuePairIsRefused() {
        QueuePairCapabilities wanted = new QueuePairCapabilities(1, 1, 1, 1, 1 << 20);
        CompletionQueue queue = left.completionQueue(16);
        VerbsException failure = catchThrowableOfType(
                VerbsException.class,
                () -> left.domain().createQueuePair(QueuePairOptions.reliableConnected(queue, wanted)));
        assertThat(failure).isNotNull();
        assertThat(failure.errno()).isIn(Errno.EINVAL, Errno.ENOMEM);
    }

    @Test
    void whenASharedReceiveQueueIsTooLargeThenItIsRefused() {
        int tooMany = left.context().queryDevice().maxSharedReceiveQueueWorkRequests() + 1;
        VerbsException failure =
                catchThrowableOfType(VerbsException.class, () -> left.domain().createSharedReceiveQueue(tooMany, 1));
        assertThat(failure).isNotNull();
        assertThat(failure.errno()).isIn(Errno.EINVAL, Errno.ENOMEM);
        assertThat(failure.call()).isEqualTo("ibv_create_srq");
    }

    @Test
    void whenUnreliableDatagramIsNotSupportedThenEopnotsupp() {
        CompletionQueue queue = left.completionQueue(16);
        QueuePairOptions options = new QueuePairOptions(
                QueuePairType.UD, queue, queue, null, new QueuePairCapabilities(4, 4, 1, 1, 0), false);
        if (subject.supportsUnreliableDatagram()) {
            QueuePair queuePair = left.closing(left.domain().createQueuePair(options));
            assertThat(queuePair.state()).isEqualTo(QueuePairState.RESET);
        } else {
            assertFails(Errno.EOPNOTSUPP, () -> left.domain().createQueuePair(options));
        }
    }

    @Test
    void whenManyQueuePairsAreOpenThenEachStillWorks() {
        List<Link> links = new ArrayList<>();
        QueuePairCapabilities small = new QueuePairCapabilities(4, 4, 1, 1, 0);
        CompletionQueue leftQueue = left.completionQueue(64);
        CompletionQueue rightQueue = right.completionQueue(64);
        for (int i = 0; i < 50; i++) {
            Endpoint a = left.endpoint(QueuePairOptions.reliableConnected(leftQueue, small));
            Endpoint b = right.endpoint(QueuePairOptions.reliableConnected(rightQueue, small));
            links.add(link(new Connection(), a, b));
        }
        Buffer source = left.buffer(50).fill(1);
        Buffer target = right.buffer(50);
        for (int i = 0; i < 50; i++) {
            links.get(i).a().write(i, source.slice(i, 1), target.slice(i, 1));
            links.get(i).a().awaitSent(i);
        }
        assertThat(target.bytes()).isEqualTo(source.bytes());
    }
}
