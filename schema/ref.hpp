#pragma once
// How the protocol names a node: `Type:id`, or a bare id that starts `cu_`, `resp_` or `fb_`.

#include "schema/error.hpp"
#include "schema/record_type.hpp"

#include <iosfwd>
#include <string>
#include <string_view>

namespace whence::schema {

/// A node's outside name.
struct NodeRef {
  RecordType type = RecordType::context_unit;
  std::string id;

  friend auto operator<=>(NodeRef const&, NodeRef const&) = default;
};

/// Splits at the first colon. Fails with `invalid_params`, rule "ref", where there is neither a node type nor a known
/// prefix; whether the node exists is not asked.
[[nodiscard]] Result<NodeRef> parse_ref(std::string_view text);

[[nodiscard]] std::string format_ref(RecordType type, std::string_view id);
[[nodiscard]] std::string format_ref(NodeRef const& ref);

/// Appends `Type:id` to `out`.
void append_ref(std::string& out, RecordType type, std::string_view id);

std::ostream& operator<<(std::ostream& out, NodeRef const& ref);

}  // namespace whence::schema
