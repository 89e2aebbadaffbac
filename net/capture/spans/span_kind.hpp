#pragma once
// What a span is, by the table of kinds and by its events.

#include "net/capture/spans/attributes.hpp"
#include "net/capture/spans/mapping.hpp"
#include "net/capture/spans/telemetry.hpp"

#include <optional>
#include <string>

namespace whence::net::capture {

/// The row that says what a span is; one without a name where its events do; nothing where it is of another kind. The
/// attribute that says it is used.
[[nodiscard]] std::optional<KindRow> kind_of(Span const& span, Attributes& attributes);

/// What a span says that it is where the table has no row for that: it is only a link in the chain of parents. Empty
/// where it is understood, or says nothing of the kind.
[[nodiscard]] std::string unknown_kind(std::optional<KindRow> const& row, Attributes const& attributes);

}  // namespace whence::net::capture
