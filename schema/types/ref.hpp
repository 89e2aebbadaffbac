#pragma once
// Refs, the protocol's names of nodes: `Type:id`, or a bare id that starts `cu_`, `resp_` or `fb_`.

#include "schema/base/error.hpp"
#include "schema/types/record_type.hpp"

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// The name of a node outside the engine.
struct NodeRef {
  RecordType type = RecordType::context_unit;
  std::string id;

  friend auto operator<=>(NodeRef const&, NodeRef const&) = default;
};

/// An id made of several members: the parts joined by `/`, in each `%` and `/` written `%25` and `%2F`.
[[nodiscard]] std::string join_key(std::initializer_list<std::string_view> parts);

/// The parts of a joined id, unescaped. What is no escape stays as it is.
[[nodiscard]] std::vector<std::string> split_key(std::string_view id);

/// The number that a part of a joined id is; 0 where it is none.
[[nodiscard]] std::int64_t number_in_key(std::string_view part) noexcept;

/// Splits at the first colon. Fails with `invalid_params`, rule "ref", where there is neither a node type nor a known
/// prefix; whether the node exists is not asked.
[[nodiscard]] Result<NodeRef> parse_ref(std::string_view text);

[[nodiscard]] std::string format_ref(RecordType type, std::string_view id);
[[nodiscard]] std::string format_ref(NodeRef const& ref);

/// Appends `Type:id` to `out`.
void append_ref(std::string& out, RecordType type, std::string_view id);

std::ostream& operator<<(std::ostream& out, NodeRef const& ref);

}  // namespace whence::schema
