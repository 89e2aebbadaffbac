#pragma once
// The params of the methods about versions, history and feedback, and their members on the wire.

#include "queries/view/params.hpp"

#include <vector>

namespace whence::queries {

struct VersionsListParams {
  NodeRef ref;
  std::vector<Include> include = {};
};

struct VersionsDiffParams {
  NodeRef a;
  NodeRef b;
};

struct HistoryParams {
  NodeRef ref;
  bool deleted = false;
};

struct FeedbackListParams {
  NodeRef ref;
};

}  // namespace whence::queries

namespace whence::schema {

template <>
struct Describe<queries::VersionsListParams> {
  using T = queries::VersionsListParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::required, rules::any(), "Any member of the chain."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
  };
};

template <>
struct Describe<queries::VersionsDiffParams> {
  using T = queries::VersionsDiffParams;
  static constexpr auto fields = std::tuple{
      field("a", &T::a, Presence::required, rules::any(), "One version."),
      field("b", &T::b, Presence::required, rules::any(), "Another version of the same thing."),
  };
};

template <>
struct Describe<queries::HistoryParams> {
  using T = queries::HistoryParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::required, rules::any(), "The node."),
      field("deleted", &T::deleted, Presence::optional, rules::any(), "Also of a node that is deleted by then."),
  };
};

template <>
struct Describe<queries::FeedbackListParams> {
  using T = queries::FeedbackListParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::required, rules::any(),
            "A response, an answer, or a unit, chunk or document they were made from."),
  };
};

}  // namespace whence::schema
