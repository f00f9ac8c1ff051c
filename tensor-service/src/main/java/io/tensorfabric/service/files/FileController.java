package io.tensorfabric.service.files;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.tensorfabric.service.store.TensorFile;
import io.tensorfabric.service.store.TensorStore;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.validation.constraints.Pattern;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** REST calls for files. */
@RestController
@RequestMapping("/api/files")
@Tag(name = "files", description = "Upload, list, describe, download and delete safetensors files")
class FileController {

    private final TensorStore store;

    private final Uploads uploads;

    private final Downloads downloads;

    FileController(TensorStore store, Uploads uploads, Downloads downloads) {
        this.store = store;
        this.uploads = uploads;
        this.downloads = downloads;
    }

    @PostMapping(consumes = MediaType.APPLICATION_OCTET_STREAM_VALUE)
    @Operation(
            summary = "Upload a safetensors file",
            description = "Streams the body into registered memory",
            requestBody =
                    @io.swagger.v3.oas.annotations.parameters.RequestBody(
                            description = "The file's bytes",
                            required = true,
                            content =
                                    @Content(
                                            mediaType = MediaType.APPLICATION_OCTET_STREAM_VALUE,
                                            schema = @Schema(type = "string", format = "binary"))))
    ResponseEntity<FileDetails> upload(
            @Parameter(description = "Name of the file", example = "model.safetensors")
                    @RequestParam
                    @Pattern(
                            regexp = TensorStore.NAME_PATTERN,
                            message = "must be 1 to 255 characters, no control characters")
                    String name,
            @Parameter(description = "Where to keep the tensors: host, cuda:N, or auto for where received ones land")
                    @RequestParam(required = false)
                    @Nullable String memory,
            @Parameter(hidden = true) HttpServletRequest request)
            throws IOException {
        TensorFile file = uploads.upload(name, request.getInputStream(), request.getContentLengthLong(), memory);
        return ResponseEntity.created(URI.create("/api/files/" + file.id())).body(FileDetails.of(file));
    }

    @GetMapping
    @Operation(summary = "List files, uploaded and received ones")
    List<FileView> list(
            @Parameter(description = "Only files received from this peer") @RequestParam(required = false) @Nullable String peer) {
        return store.files(peer).stream().map(FileView::of).toList();
    }

    @GetMapping("/{id}")
    @Operation(summary = "Describe a file and its tensors")
    FileDetails describe(@PathVariable String id) {
        return FileDetails.of(store.file(id));
    }

    @GetMapping(path = "/{id}/content", produces = MediaType.APPLICATION_OCTET_STREAM_VALUE)
    @Operation(summary = "Download a file, or one tensor of it, as safetensors")
    void download(
            @PathVariable String id,
            @Parameter(description = "Name of one tensor; all tensors without it")
                    @RequestParam(required = false)
                    @Nullable String tensor,
            @Parameter(hidden = true) HttpServletResponse response)
            throws IOException {
        TensorFile file = store.file(id);
        downloads.download(file, tensor == null ? file.tensors() : List.of(file.tensor(tensor)), response);
    }

    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Operation(summary = "Delete a file and give its memory back")
    void delete(@PathVariable String id) {
        store.delete(id);
    }
}
