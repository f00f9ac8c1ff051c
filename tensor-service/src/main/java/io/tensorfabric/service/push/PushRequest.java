package io.tensorfabric.service.push;

import io.swagger.v3.oas.annotations.media.Schema;
import io.tensorfabric.transfer.LandingKind;
import io.tensorfabric.transfer.ReceiptLevel;
import io.tensorfabric.transfer.TransferPriority;
import jakarta.validation.constraints.NotBlank;
import org.jspecify.annotations.Nullable;

/** What to push and how. */
record PushRequest(
        @Schema(description = "Name of a configured peer", example = "ranker") @NotBlank String peer,

        @Schema(description = "Name of one tensor; all tensors of the file without it") @Nullable String tensor,

        @Schema(description = "When a tensor counts as pushed", defaultValue = "PROCESSED") @Nullable ReceiptLevel receipt,

        @Schema(description = "Longest time for one tensor, such as 30s; the fabric's default without it") @Nullable String deadline,

        @Schema(description = "Whether a CRC32C goes along", defaultValue = "false") @Nullable Boolean checksum,

        @Schema(description = "Which tensors go first", defaultValue = "NORMAL") @Nullable TransferPriority priority,

        @Schema(description = "Kind of memory that tensors are to land in at the peer", defaultValue = "ANY") @Nullable LandingKind landing) {}
