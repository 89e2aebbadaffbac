#pragma once
// Records that the graph has of telemetry.

#include "net/capture/known/traces.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/records/conversation/records.hpp"
#include "schema/types/ref.hpp"

#include <optional>
#include <string>

namespace whence::net::capture {

/// A response of the graph; nothing where it is not there. Fails as `RecordReader::read`.
[[nodiscard]] Result<std::optional<schema::Response>> read_response(Traces const& all, schema::NodeRef const& ref);

/// When a call began, as its span says; nothing of one that is not known. Fails as `RecordReader::read`.
[[nodiscard]] Result<std::optional<Nanos>> start_of(Traces const& all, SpanName const& call);

/// A text of a record; empty where it is gone. Fails as `RecordReader::read_blob`.
[[nodiscard]] Result<std::string> kept_text(Traces const& all, std::optional<std::string> const& text,
                                            std::optional<schema::Digest> const& blob);

}  // namespace whence::net::capture
