package io.tensorfabric.event;

import io.tensorfabric.transfer.TransferStatus;
import java.time.Duration;

/**
 * A push of this node failed, or a tensor that arrived was refused or failed its listener. Cancelled pushes are no failures.
 *
 * @param status which transfer, and why
 * @param elapsed from the push, or the arrival, to the failure
 */
public record TransferFailedEvent(TransferStatus status, Duration elapsed) {}
