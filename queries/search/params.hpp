#pragma once
// The params of `search` and their members on the wire.

#include "queries/find/params.hpp"
#include "queries/view/params.hpp"
#include "schema/base/fields.hpp"
#include "schema/types/record_type.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace whence::queries {

struct SearchParams {
  std::string text = {};
  std::optional<schema::RecordTypeSet> types = {};
  std::vector<Condition> where = {};
  bool exact = false;
  std::vector<Include> include = {};
};

inline constexpr std::size_t search_text_max = 1'000;

}  // namespace whence::queries

namespace whence::schema {

template <>
struct Describe<queries::SearchParams> {
  using T = queries::SearchParams;
  static constexpr auto fields = std::tuple{
      field("text", &T::text, Presence::required, rules::text(1, queries::search_text_max),
            "The words sought, all of them; the last may be the beginning of one."),
      field("types", &T::types, Presence::optional, rules::any(), "Record types searched; all where not given."),
      field("where", &T::where, Presence::optional, rules::any(),
            "Conditions by field, as in `node.find`; needs exactly one of `types`."),
      field("exact", &T::exact, Presence::optional, rules::any(),
            "Finds the words as they are alone, not their other English forms."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
  };
};

}  // namespace whence::schema
