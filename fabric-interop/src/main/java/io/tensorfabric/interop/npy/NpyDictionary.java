package io.tensorfabric.interop.npy;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the one kind of Python dictionary that a NumPy header is: the three keys, each once, in any order, with literals of
 * the types that they have. Nothing is evaluated.
 */
final class NpyDictionary {

    private static final int MOST_DIGITS = 18;
    private static final int LONGEST_STRING = 64;

    private final String text;
    private int position;

    private @Nullable String type;
    private @Nullable Boolean fortranOrder;
    private @Nullable List<Long> shape;

    NpyDictionary(String text) {
        this.text = text;
    }

    /** The content, with the type as it is spelled. */
    record Content(String type, boolean fortranOrder, List<Long> shape) {}

    Content read() throws NpyFormatException {
        expect('{');
        while (peek() != '}') {
            entry();
            if (peek() != ',') {
                break;
            }
            position++;
        }
        expect('}');
        if (position < text.length() && peek() != '\0') {
            throw wrong("nothing after the dictionary");
        }
        if (type == null || fortranOrder == null || shape == null) {
            throw new NpyFormatException("The header lacks one of 'descr', 'fortran_order' and 'shape'");
        }
        return new Content(type, fortranOrder, shape);
    }

    private void entry() throws NpyFormatException {
        String key = string();
        expect(':');
        switch (key) {
            case "descr" -> type = once(type, key, type());
            case "fortran_order" -> fortranOrder = once(fortranOrder, key, truth());
            case "shape" -> shape = once(shape, key, tuple());
            default ->
                throw new NpyFormatException(
                        "The header has a key that is none of 'descr', 'fortran_order' and" + " 'shape'");
        }
    }

    private static <T> T once(@Nullable T before, String key, T value) throws NpyFormatException {
        if (before != null) {
            throw new NpyFormatException("The header has '" + key + "' twice");
        }
        return value;
    }

    private String type() throws NpyFormatException {
        if (peek() == '[' || peek() == '(') {
            throw new NpyFormatException("The array has fields (a structured type): save each field as an array");
        }
        return string();
    }

    private String string() throws NpyFormatException {
        char quote = peek();
        if (quote != '\'' && quote != '"') {
            throw wrong("a string");
        }
        int end = text.indexOf(quote, position + 1);
        if (end < 0 || end - position > LONGEST_STRING) {
            throw wrong("a string with an end");
        }
        String value = text.substring(position + 1, end);
        if (value.indexOf('\\') >= 0) {
            throw wrong("a string without escapes");
        }
        position = end + 1;
        return value;
    }

    private Boolean truth() throws NpyFormatException {
        peek();
        for (String word : List.of("True", "False")) {
            if (text.startsWith(word, position)) {
                position += word.length();
                return word.equals("True");
            }
        }
        throw wrong("True or False");
    }

    private List<Long> tuple() throws NpyFormatException {
        expect('(');
        List<Long> values = new ArrayList<>();
        boolean comma = true;
        while (peek() != ')') {
            if (!comma) {
                throw wrong("a comma");
            }
            values.add(number());
            comma = peek() == ',';
            if (comma) {
                position++;
            }
        }
        position++;
        if (values.size() == 1 && !comma) {
            throw wrong("a tuple, which has a comma after its only number");
        }
        return List.copyOf(values);
    }

    private long number() throws NpyFormatException {
        peek();
        int start = position;
        while (position < text.length() && text.charAt(position) >= '0' && text.charAt(position) <= '9') {
            position++;
        }
        if (position == start || position - start > MOST_DIGITS) {
            throw wrong("an extent of at most " + MOST_DIGITS + " digits");
        }
        long value = Long.parseLong(text.substring(start, position));
        if (position < text.length() && text.charAt(position) == 'L') {
            position++; // Python 2
        }
        return value;
    }

    private void expect(char wanted) throws NpyFormatException {
        if (peek() != wanted) {
            throw wrong("'" + wanted + "'");
        }
        position++;
    }

    /** The next character that is no space, NUL at the end. */
    private char peek() {
        while (position < text.length() && " \n\t\r".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
        return position < text.length() ? text.charAt(position) : '\0';
    }

    private NpyFormatException wrong(String wanted) {
        return new NpyFormatException("The header is no dictionary of NumPy's: expected " + wanted + " at character "
                + position + " of " + text.length());
    }
}
