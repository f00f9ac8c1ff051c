package io.tensorfabric.service.web;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.tensorfabric.memory.PoolExhaustedException;
import io.tensorfabric.service.store.FileTooLargeException;
import io.tensorfabric.service.store.NoSuchTensorException;
import io.tensorfabric.service.store.StoreFullException;
import io.tensorfabric.tensor.safetensors.SafetensorsFormatException;
import io.tensorfabric.transfer.TransferException;
import java.io.EOFException;
import java.io.IOException;
import java.util.stream.Collectors;
import org.apache.catalina.connector.ClientAbortException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Turns exceptions into problem details (RFC 9457). */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

    private static final Logger log = LoggerFactory.getLogger(Problems.class);

    private static final String RETRY_SECONDS = "1";

    @ExceptionHandler
    ProblemDetail notFound(NoSuchTensorException ex) {
        return problem(HttpStatus.NOT_FOUND, "Not found", ex);
    }

    @ExceptionHandler
    ProblemDetail tooLarge(FileTooLargeException ex) {
        return problem(HttpStatus.CONTENT_TOO_LARGE, "File too large", ex);
    }

    @ExceptionHandler
    ProblemDetail full(StoreFullException ex) {
        return problem(HttpStatus.INSUFFICIENT_STORAGE, "Store full", ex);
    }

    @ExceptionHandler
    ProblemDetail exhausted(PoolExhaustedException ex) {
        return problem(HttpStatus.INSUFFICIENT_STORAGE, "Memory pool exhausted", ex);
    }

    @ExceptionHandler
    ProblemDetail malformed(SafetensorsFormatException ex) {
        return problem(HttpStatus.BAD_REQUEST, "Not a valid safetensors file", ex);
    }

    @ExceptionHandler
    ProblemDetail invalid(IllegalArgumentException ex) {
        return problem(HttpStatus.BAD_REQUEST, "Invalid argument", ex);
    }

    /** The body ended early or the client went away; in the second case nobody reads the answer. */
    @ExceptionHandler({EOFException.class, ClientAbortException.class})
    ProblemDetail truncated(IOException ex) {
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.BAD_REQUEST, "The body ended before the announced length: " + ex.getMessage());
    }

    /** Says what is wrong with a body: the parser's words, without its internals. */
    @Override
    protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(
            HttpMessageNotReadableException ex, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, BodyFaults.describe(ex));
        return handleExceptionInternal(ex, problem, headers, status, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleMethodArgumentNotValid(
            MethodArgumentNotValidException ex, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        String detail = ex.getBindingResult().getFieldErrors().stream()
                .map(error -> "'" + error.getField() + "' " + error.getDefaultMessage())
                .collect(Collectors.joining("; "));
        return handleExceptionInternal(ex, ProblemDetail.forStatusAndDetail(status, detail), headers, status, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHandlerMethodValidationException(
            HandlerMethodValidationException ex, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        String detail = ex.getParameterValidationResults().stream()
                .flatMap(result -> result.getResolvableErrors().stream()
                        .map(error -> "'" + result.getMethodParameter().getParameterName() + "' "
                                + error.getDefaultMessage()))
                .collect(Collectors.joining("; "));
        return handleExceptionInternal(ex, ProblemDetail.forStatusAndDetail(status, detail), headers, status, request);
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> transfer(TransferException ex) {
        // An open circuit breaker is about to let somebody through again.
        HttpStatus status =
                ex.getCause() instanceof CallNotPermittedException ? HttpStatus.SERVICE_UNAVAILABLE : status(ex.kind());
        ProblemDetail problem = problem(status, "Push failed", ex);
        problem.setProperty("kind", ex.kind());
        problem.setProperty("peer", ex.peer());
        if (ex.status() != null) {
            problem.setProperty("completionStatus", ex.status());
        }
        ResponseEntity.BodyBuilder answer = ResponseEntity.status(status);
        if (status == HttpStatus.SERVICE_UNAVAILABLE) {
            answer.header(HttpHeaders.RETRY_AFTER, RETRY_SECONDS);
        }
        return answer.body(problem);
    }

    @ExceptionHandler
    ProblemDetail unexpected(Exception ex) {
        log.error("Unexpected failure of a request", ex);
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.INTERNAL_SERVER_ERROR, "Unexpected failure; the service's log says more");
    }

    private static HttpStatus status(TransferException.Kind kind) {
        return switch (kind) {
            case UNKNOWN_PEER -> HttpStatus.NOT_FOUND;
            case PEER_LOST, LISTENER_FAILED -> HttpStatus.BAD_GATEWAY;
            case DEADLINE -> HttpStatus.GATEWAY_TIMEOUT;
            case REJECTED, CANCELLED -> HttpStatus.CONFLICT;
            case BACKPRESSURE, CLOSED -> HttpStatus.SERVICE_UNAVAILABLE;
            case INVALID -> HttpStatus.BAD_REQUEST;
        };
    }

    private static ProblemDetail problem(HttpStatus status, String title, Exception ex) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, String.valueOf(ex.getMessage()));
        problem.setTitle(title);
        return problem;
    }
}
