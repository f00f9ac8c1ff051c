package io.tensorfabric.service.demo;

/** The demo cannot go on; the message says why. */
class DemoFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DemoFailure(String message) {
        super(message);
    }
}
