package io.tensorfabric.bench.peers;

/**
 * Ports of the receiver's servers on this machine.
 *
 * @param nio of the plain sockets
 * @param grpc of gRPC
 * @param flight of Arrow Flight
 * @param ucx of the negotiation of UCX
 * @param http of the web server
 */
public record Ports(int nio, int grpc, int flight, int ucx, int http) {}
