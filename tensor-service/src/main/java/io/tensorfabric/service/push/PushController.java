package io.tensorfabric.service.push;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.transfer.TransferException;
import io.tensorfabric.transfer.TransferStatus;
import jakarta.validation.Valid;
import java.net.URI;
import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** REST calls for pushes. */
@RestController
@RequestMapping("/api")
@Tag(name = "pushes", description = "Push tensors into the memory of peers")
class PushController {

    private final PushService pushes;

    private final TensorTransferService transfers;

    PushController(PushService pushes, TensorTransferService transfers) {
        this.pushes = pushes;
        this.transfers = transfers;
    }

    @PostMapping("/files/{id}/push")
    @Operation(
            summary = "Push one tensor or all tensors of a file to a peer",
            description =
                    "Answers 202 with the running push at once, or with wait=true the ended one: 200 when all arrived,"
                            + " else the problem")
    ResponseEntity<PushView> push(
            @PathVariable String id,
            @Valid @RequestBody PushRequest request,
            @RequestParam(defaultValue = "false") boolean wait) {
        PushJob job = pushes.start(id, request);
        if (!wait) {
            return ResponseEntity.accepted()
                    .location(URI.create("/api/pushes/" + job.id()))
                    .body(job.view());
        }
        Throwable failure = job.done().join().failure();
        if (failure instanceof TransferException known) {
            throw known;
        }
        if (failure != null) {
            throw new IllegalStateException("The push failed: " + failure.getMessage(), failure);
        }
        return ResponseEntity.ok(job.view());
    }

    @GetMapping("/pushes")
    @Operation(summary = "List running and recently ended pushes")
    List<PushView> pushes() {
        return pushes.all().stream().map(PushJob::view).toList();
    }

    @GetMapping("/pushes/{id}")
    @Operation(summary = "Show how far a push has come")
    PushView push(@PathVariable String id) {
        return pushes.find(id).view();
    }

    @GetMapping("/transfers")
    @Operation(summary = "List transfers in flight and recently ended ones, in both directions")
    List<TransferStatus> transfers() {
        return transfers.transfers();
    }
}
