package io.tensorfabric.transfer;

/**
 * Counters of transfers since the start, and two gauges.
 *
 * @param pushed pushes, and puts, that succeeded
 * @param pushedBytes their payload
 * @param pushFailures pushes, puts and pulls that failed, without those cancelled
 * @param pushesCancelled pushes that the caller cancelled
 * @param retries further attempts of pushes
 * @param received tensors whose listener returned
 * @param receivedBytes their payload
 * @param rejected tensors that were refused here
 * @param listenerFailures tensors whose listener threw
 * @param duplicates tensors that came again after a retry and were not delivered again
 * @param pushesInFlight pushes under way now
 * @param openTensors received tensors that are not closed now
 * @param pulled pulls that succeeded
 * @param pulledBytes their payload
 */
public record TransferStatistics(
        long pushed,
        long pushedBytes,
        long pushFailures,
        long pushesCancelled,
        long retries,
        long received,
        long receivedBytes,
        long rejected,
        long listenerFailures,
        long duplicates,
        long pushesInFlight,
        long openTensors,
        long pulled,
        long pulledBytes) {}
