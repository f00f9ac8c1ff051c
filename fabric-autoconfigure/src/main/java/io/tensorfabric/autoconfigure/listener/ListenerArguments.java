package io.tensorfabric.autoconfigure.listener;

import io.tensorfabric.annotation.TensorHeader;
import io.tensorfabric.listener.AckMode;
import io.tensorfabric.listener.TensorArgumentResolver;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.transfer.Acknowledgment;
import io.tensorfabric.transfer.ReceivedTensor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.convert.support.DefaultConversionService;

/** What parameters of listener methods can be. Immutable. */
final class ListenerArguments {

    private static final ResolvableType HEADERS =
            ResolvableType.forClassWithGenerics(Map.class, String.class, String.class);

    private static final Map<Class<?>, ListenerArgument> BY_TYPE = Map.of(
            ReceivedTensor.class, (tensor, answer) -> tensor,
            Tensor.class, (tensor, answer) -> tensor.tensor(),
            TensorDescriptor.class, (tensor, answer) -> tensor.tensor().descriptor(),
            Shape.class, (tensor, answer) -> tensor.tensor().shape(),
            DataType.class, (tensor, answer) -> tensor.tensor().dataType(),
            ByteBuffer.class, (tensor, answer) -> tensor.tensor().asByteBuffer(),
            byte[].class, (tensor, answer) -> copy(tensor.tensor().asByteBuffer()),
            Acknowledgment.class, (tensor, answer) -> answer);

    private final ConversionService conversion = DefaultConversionService.getSharedInstance();

    private final List<TensorArgumentResolver> resolvers;

    ListenerArguments(List<TensorArgumentResolver> resolvers) {
        this.resolvers = List.copyOf(resolvers);
    }

    /** How to make an argument for a parameter; an exception that names it if there is no way. */
    ListenerArgument find(ListenerMethod method, MethodParameter parameter) {
        for (TensorArgumentResolver resolver : resolvers) {
            if (resolver.supports(parameter)) {
                return (tensor, answer) -> resolver.resolve(parameter, tensor);
            }
        }
        TensorHeader header = parameter.getParameterAnnotation(TensorHeader.class);
        if (header != null) {
            return header(method, parameter, header);
        }
        Class<?> type = parameter.getParameterType();
        ListenerArgument known = BY_TYPE.get(type);
        if (type == Acknowledgment.class && method.annotation().ack() != AckMode.MANUAL) {
            throw method.invalid(
                    parameter,
                    "but acknowledges by returning",
                    "Set ack = AckMode.MANUAL on the annotation, or take the parameter away.");
        }
        if (known != null) {
            return known;
        }
        if (type == Map.class && ResolvableType.forMethodParameter(parameter).isAssignableFrom(HEADERS)) {
            return (tensor, answer) -> tensor.headers();
        }
        throw method.invalid(
                parameter,
                "which a tensor cannot be turned into",
                "Use ReceivedTensor, Tensor, TensorDescriptor, Shape, DataType, ByteBuffer, byte[], Map<String, String> for"
                        + " all headers, a parameter with @TensorHeader for one, or Acknowledgment; or define a bean of"
                        + " type TensorArgumentResolver for it.");
    }

    private ListenerArgument header(ListenerMethod method, MethodParameter parameter, TensorHeader header) {
        String name = header.value().isEmpty() ? parameter.getParameterName() : header.value();
        if (name == null || name.isEmpty()) {
            throw method.invalid(
                    parameter,
                    "whose name the compiler did not keep",
                    "Give the key of the header, as in @TensorHeader(\"step\"), or compile with -parameters.");
        }
        TypeDescriptor target = new TypeDescriptor(parameter);
        TypeDescriptor text = TypeDescriptor.valueOf(String.class);
        if (!conversion.canConvert(text, target)) {
            throw method.invalid(
                    parameter, "which the text of a header cannot be converted to", "Take the header as a String.");
        }
        String substitute = TensorHeader.NONE.equals(header.defaultValue()) ? null : header.defaultValue();
        boolean required = header.required() && substitute == null;
        if (!required && substitute == null && target.isPrimitive()) {
            throw method.invalid(
                    parameter,
                    "which cannot be null when the header is missing",
                    "Use the wrapper type, or give a default value.");
        }
        if (substitute != null) {
            checkDefault(method, parameter, substitute, target);
        }
        return (tensor, answer) -> {
            String value = tensor.headers().getOrDefault(name, substitute);
            if (value == null && required) {
                throw wrongHeader(method, tensor, "has no header '" + name + "'", null);
            }
            try {
                return convert(value, target);
            } catch (ConversionException ex) {
                throw wrongHeader(method, tensor, "has the header '" + name + "' with the text '" + value + "'", ex);
            }
        };
    }

    private static IllegalArgumentException wrongHeader(
            ListenerMethod method, ReceivedTensor tensor, String problem, @Nullable Throwable cause) {
        return new IllegalArgumentException(
                "Tensor '" + tensor.tensor().name() + "' of peer '" + tensor.peer() + "' " + problem
                        + ", which does not fit listener method "
                        + method.method().getName() + " of bean '" + method.beanName() + "'",
                cause);
    }

    private void checkDefault(
            ListenerMethod method, MethodParameter parameter, String substitute, TypeDescriptor target) {
        try {
            convert(substitute, target);
        } catch (RuntimeException ex) {
            throw method.invalid(
                    parameter,
                    "which its default value '" + substitute + "' cannot be converted to",
                    "Correct the default value.");
        }
    }

    private @Nullable Object convert(@Nullable String value, TypeDescriptor target) {
        return value == null ? null : conversion.convert(value, TypeDescriptor.valueOf(String.class), target);
    }

    private static byte[] copy(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return copy;
    }
}
