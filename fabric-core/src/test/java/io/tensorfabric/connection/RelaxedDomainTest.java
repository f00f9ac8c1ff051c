package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import io.tensorfabric.verbs.soft.SoftVerbsProvider;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class RelaxedDomainTest {

    private static final Set<AccessFlag> LOCAL = Set.of(AccessFlag.LOCAL_WRITE);

    private static final Set<AccessFlag> RELAXED = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.RELAXED_ORDERING);

    /** Rights with which memory was to be registered, by call. */
    private final List<Set<?>> asked = new ArrayList<>();

    /** A domain that refuses some rights. */
    private RelaxedDomain domain(Predicate<Set<?>> refuses, Errno errno) {
        ProtectionDomain fake = proxy(ProtectionDomain.class, (name, arguments) -> {
            if (name.equals("context")) {
                return proxy(VerbsContext.class, (method, none) -> "fake0");
            }
            Set<?> rights = (Set<?>) arguments[arguments.length - 1];
            asked.add(rights);
            if (refuses.test(rights)) {
                throw new VerbsException("ibv_reg_mr", errno, "as told");
            }
            return proxy(MemoryRegion.class, (method, none) -> null);
        });
        return new RelaxedDomain(fake);
    }

    private interface Answer {
        Object to(String method, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                RelaxedDomainTest.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answer.to(method.getName(), arguments)));
    }

    @Test
    void whenMemoryIsRegisteredByAnyWayThenItsOrderIsRelaxed() {
        RelaxedDomain domain = domain(rights -> false, Errno.EINVAL);
        domain.registerMemory(4096, 10, LOCAL);
        domain.registerDmaBuf(3, 0, 10, 4096, LOCAL);
        domain.registerPeerMemory(4096, 10, LOCAL);
        assertThat(asked).hasSize(3).allMatch(RELAXED::equals);
        assertThat(domain.text()).isEqualTo("allowed");
    }

    @Test
    void whenTheDeviceRefusesThenMemoryIsRegisteredWithoutAndItIsNotAskedAgain() {
        RelaxedDomain domain = domain(rights -> rights.contains(AccessFlag.RELAXED_ORDERING), Errno.EOPNOTSUPP);
        domain.registerMemory(4096, 10, LOCAL);
        domain.registerMemory(4096, 10, LOCAL);
        assertThat(asked).isEqualTo(List.of(RELAXED, LOCAL, LOCAL));
        assertThat(domain.text()).isEqualTo("refused by the device");
    }

    @Test
    void whenSomethingElseIsWrongThenThatIsToldAndTheOrderStaysRelaxed() {
        RelaxedDomain full = domain(rights -> true, Errno.ENOMEM);
        assertThatThrownBy(() -> full.registerMemory(4096, 10, LOCAL))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM));
        assertThat(asked).hasSize(1);
        RelaxedDomain wrong = domain(rights -> true, Errno.EINVAL);
        assertThatThrownBy(() -> wrong.registerMemory(0, 10, LOCAL)).isInstanceOf(VerbsException.class);
        assertThat(wrong.text()).isEqualTo("allowed");
    }

    @Test
    void whenADeviceIsOpenedThenTheOptionDecides() {
        for (boolean relaxed : new boolean[] {true, false}) {
            FabricDeviceOptions options =
                    FabricDeviceOptions.builder().relaxedOrdering(relaxed).build();
            try (FabricDevice device =
                    FabricDevice.open(new SoftVerbsProvider(SoftDeviceOptions.defaults()), options)) {
                assertThat(device.relaxedOrdering()).isEqualTo(relaxed ? "allowed" : "switched off");
            }
        }
    }
}
