#ifndef CNGHTTP2_SHIM_H
#define CNGHTTP2_SHIM_H

#include <nghttp2/nghttp2.h>

/// Wrapper for a body that is asked for by `read`; the union it is in is awkward to make in Swift.
static inline int32_t cnghttp2_submit_request(
    nghttp2_session *session, const nghttp2_nv *fields, size_t count, nghttp2_data_source_read_callback read,
    void *user) {
    nghttp2_data_provider body = {{0}, read};
    body.source.ptr = user;
    return nghttp2_submit_request(session, 0, fields, count, &body, user);
}

// Parts of a frame, which is a union.

/// The code of a RST_STREAM.
static inline uint32_t cnghttp2_reset_code(const nghttp2_frame *frame) { return frame->rst_stream.error_code; }

/// The contents of a GOAWAY frame.
static inline const nghttp2_goaway *cnghttp2_goaway(const nghttp2_frame *frame) { return &frame->goaway; }

#endif
