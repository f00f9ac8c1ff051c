package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.service.demo.TensorStreams;
import io.tensorfabric.testing.SharedData;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RealFilesIT {

    @TempDir
    Path folder;

    @Test
    void whenRealFilesArePushedThenEveryTensorArrivesWithItsHash() throws Exception {
        Map<String, Map<String, String>> files = listed();
        try (TwoServices services = TwoServices.start(folder)) {
            for (Map.Entry<String, Map<String, String>> file : files.entrySet()) {
                assertThat(pushed(services, file.getKey())).as(file.getKey()).isEqualTo(file.getValue());
            }
        }
    }

    private static Map<String, String> pushed(TwoServices services, String file)
            throws IOException, InterruptedException {
        services.push(services.upload(file, SharedData.file(file)));
        try (InputStream in = services.b().download(services.received(file))) {
            return TensorStreams.hashes(in);
        }
    }

    /** File to tensor to data type, shape and hash, as listed beside the real files. */
    private static Map<String, Map<String, String>> listed() throws IOException {
        List<String> lines = Files.readAllLines(SharedData.file("TENSOR_SHA256.tsv"));
        Map<String, Map<String, String>> files = new LinkedHashMap<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] fields = line.split("\t", -1);
            String shape = fields[3].replaceAll(",\\s*", ", ");
            files.computeIfAbsent(fields[0], name -> new LinkedHashMap<>())
                    .put(fields[1], fields[2] + " " + shape + " " + fields[5]);
        }
        assertThat(files).isNotEmpty();
        return files;
    }
}
