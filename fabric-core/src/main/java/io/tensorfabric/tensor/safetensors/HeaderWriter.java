package io.tensorfabric.tensor.safetensors;

import java.util.List;
import java.util.Map;

/**
 * The header's JSON byte for byte as the reference implementation writes it: no white space, nothing escaped but quotes,
 * backslashes and control characters (serde_json's compact formatter).
 */
final class HeaderWriter {

    private final StringBuilder json = new StringBuilder();

    private HeaderWriter() {}

    static String json(List<SafetensorsEntry> entries, Map<String, String> metadata) {
        HeaderWriter writer = new HeaderWriter();
        writer.json.append('{');
        if (!metadata.isEmpty()) {
            writer.metadata(metadata);
        }
        for (SafetensorsEntry entry : entries) {
            writer.separate();
            writer.entry(entry);
        }
        return writer.json.append('}').toString();
    }

    private void metadata(Map<String, String> metadata) {
        string(HeaderParser.METADATA);
        json.append(":{");
        metadata.forEach((key, value) -> {
            separate();
            string(key);
            json.append(':');
            string(value);
        });
        json.append('}');
    }

    private void entry(SafetensorsEntry entry) {
        string(entry.name());
        json.append(":{\"dtype\":\"").append(entry.descriptor().dataType().name());
        json.append("\",\"shape\":[");
        long[] dims = entry.descriptor().shape().dims();
        for (int i = 0; i < dims.length; i++) {
            json.append(i == 0 ? "" : ",").append(dims[i]);
        }
        json.append("],\"data_offsets\":[").append(entry.begin());
        json.append(',').append(entry.end()).append("]}");
    }

    private void separate() {
        if (json.charAt(json.length() - 1) != '{') {
            json.append(',');
        }
    }

    private void string(String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            character(text.charAt(i));
        }
        json.append('"');
    }

    private void character(char c) {
        switch (c) {
            case '"' -> json.append("\\\"");
            case '\\' -> json.append("\\\\");
            case '\b' -> json.append("\\b");
            case '\f' -> json.append("\\f");
            case '\n' -> json.append("\\n");
            case '\r' -> json.append("\\r");
            case '\t' -> json.append("\\t");
            default -> {
                if (c < ' ') {
                    json.append(String.format("\\u%04x", (int) c));
                } else {
                    json.append(c);
                }
            }
        }
    }
}
