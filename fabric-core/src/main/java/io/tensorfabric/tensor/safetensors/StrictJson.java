package io.tensorfabric.tensor.safetensors;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PushbackReader;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.json.JsonFactory;

/**
 * A token reader without Jackson's courtesies: UTF-8 only and valid, no byte order mark, no duplicate keys, no number
 * where the text is a string or the other way round, nothing after the value. Needs memory for the largest string only.
 */
final class StrictJson implements AutoCloseable {

    private static final char BYTE_ORDER_MARK = '\uFEFF';

    /** In characters; while it is read a string takes up to five bytes for each. */
    private static final int LONGEST_STRING = (int)
            Math.min(SafetensorsHeader.MAX_HEADER_BYTES, Runtime.getRuntime().maxMemory() / 16);

    private static final JsonFactory FACTORY = JsonFactory.builder()
            // Names are used once; a table of them only invites collisions.
            .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
            .disable(TokenStreamFactory.Feature.INTERN_PROPERTY_NAMES)
            .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(LONGEST_STRING)
                    .maxNameLength(LONGEST_STRING)
                    .build())
            .build();

    private final String what;
    private final JsonParser parser;

    private StrictJson(String what, JsonParser parser) {
        this.what = what;
        this.parser = parser;
    }

    /** Reads one document; the work may throw what the parser throws. */
    static <T> T read(String what, InputStream in, Body<T> body) throws IOException {
        try (StrictJson json =
                new StrictJson(what, FACTORY.createParser(ObjectReadContext.empty(), reader(what, in)))) {
            json.require(json.parser.nextToken(), JsonToken.START_OBJECT, what);
            T result = body.read(json);
            if (json.parser.nextToken() != null) {
                throw json.malformed("something follows the end of the object");
            }
            return result;
        } catch (CharacterCodingException e) {
            throw notUtf8(what, e);
        } catch (JacksonIOException e) {
            if (e.getCause() instanceof CharacterCodingException coding) {
                throw notUtf8(what, coding);
            }
            throw e.getCause();
        } catch (JacksonException e) {
            throw new SafetensorsFormatException(what + " is malformed: " + e.getOriginalMessage(), e);
        }
    }

    /** What is done with a document whose opening brace was read. */
    interface Body<T> {
        T read(StrictJson json) throws IOException;
    }

    private static Reader reader(String what, InputStream in) throws IOException {
        PushbackReader reader = new PushbackReader(new InputStreamReader(
                in,
                StandardCharsets.UTF_8
                        .newDecoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT)));
        int first = reader.read();
        if (first == BYTE_ORDER_MARK) {
            throw new SafetensorsFormatException(what + " is malformed: it begins with a byte order mark");
        }
        if (first >= 0) {
            reader.unread(first);
        }
        return reader;
    }

    private static SafetensorsFormatException notUtf8(String what, CharacterCodingException e) {
        return new SafetensorsFormatException(what + " is not valid UTF-8", e);
    }

    /** The next key of the object that is being read, or null at its end. The value is the token after it. */
    @Nullable String nextKey() throws SafetensorsFormatException {
        if (parser.nextToken() == JsonToken.END_OBJECT) {
            return null;
        }
        return wellFormed(parser.currentName());
    }

    /** Enters the object that must be the next value. */
    void enterObject(String name) throws SafetensorsFormatException {
        require(parser.nextToken(), JsonToken.START_OBJECT, name);
    }

    /** Enters the array that must be the next value. */
    void enterArray(String name) throws SafetensorsFormatException {
        require(parser.nextToken(), JsonToken.START_ARRAY, name);
    }

    /** The string that must be the next value. */
    String string(String name) throws SafetensorsFormatException {
        require(parser.nextToken(), JsonToken.VALUE_STRING, name);
        return wellFormed(parser.getString());
    }

    /** Moves to the next element of the array that is being read; false at its end. */
    boolean nextElement() {
        return parser.nextToken() != JsonToken.END_ARRAY;
    }

    /** The current array element, which must be an unsigned integer that fits 63 bits. */
    long unsignedElement(String name) throws SafetensorsFormatException {
        require(parser.currentToken(), JsonToken.VALUE_NUMBER_INT, name);
        if (parser.getString().startsWith("-")) {
            throw malformed(name + " is negative");
        }
        if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
            throw malformed(name + " is above 2^63-1");
        }
        return parser.getLongValue();
    }

    /** The next value as unsigned integer, or empty if it is something else, which is skipped. */
    OptionalLong optionalUnsigned() {
        JsonToken token = parser.nextToken();
        if (token == JsonToken.VALUE_NUMBER_INT
                && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER
                && parser.getLongValue() >= 0) {
            return OptionalLong.of(parser.getLongValue());
        }
        parser.skipChildren();
        return OptionalLong.empty();
    }

    /** Passes over the next value, whatever it is; it must be well-formed all the same. */
    void skipValue() {
        parser.nextToken();
        parser.skipChildren();
    }

    private void require(@Nullable JsonToken actual, JsonToken expected, String name)
            throws SafetensorsFormatException {
        if (actual != expected) {
            throw malformed(name + " must be " + describe(expected) + ", not " + describe(actual));
        }
    }

    private static String describe(@Nullable JsonToken token) {
        if (token == null) {
            return "missing";
        }
        return switch (token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_STRING -> "a string";
            case VALUE_NUMBER_INT -> "an integer";
            case VALUE_NUMBER_FLOAT -> "a fraction";
            case VALUE_NULL -> "null";
            default -> "a " + token.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        };
    }

    /** Escapes can smuggle in half of a surrogate pair, which has no UTF-8. */
    private String wellFormed(String text) throws SafetensorsFormatException {
        if (text.codePoints().anyMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)) {
            throw malformed("a string holds half of a surrogate pair");
        }
        return text;
    }

    SafetensorsFormatException malformed(String problem) {
        return new SafetensorsFormatException(what + " is malformed: " + problem);
    }

    @Override
    public void close() {
        parser.close();
    }
}
