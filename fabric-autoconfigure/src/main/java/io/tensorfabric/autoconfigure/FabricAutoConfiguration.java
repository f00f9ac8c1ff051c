package io.tensorfabric.autoconfigure; public final class FabricAutoConfiguration {}
