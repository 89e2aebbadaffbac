#pragma once
// The params of the methods about retrieval, and their members on the wire.

#include "schema/base/fields.hpp"
#include "schema/records/retrieval/fields.hpp"
#include "schema/records/retrieval/records.hpp"

#include <optional>
#include <string>
#include <vector>

namespace whence::queries {

struct RagGetParams {
  std::string request_id;
};

struct RagRetrieveParams {
  std::vector<float> vector = {};
  std::optional<std::string> model = {};       ///< the server's default one where left out
  std::optional<std::string> request_id = {};  ///< of the query; made where left out
  std::optional<std::string> question = {};
  std::optional<schema::QueryFilters> filters = {};
  bool record = false;  ///< also records the retrieval: not the business of a read
};

}  // namespace whence::queries

namespace whence::schema {

template <>
struct Describe<queries::RagGetParams> {
  using T = queries::RagGetParams;
  static constexpr auto fields = std::tuple{
      field("request_id", &T::request_id, Presence::required, rules::any(), "The id of the query."),
  };
};

template <>
struct Describe<queries::RagRetrieveParams> {
  using T = queries::RagRetrieveParams;
  static constexpr auto fields = std::tuple{
      field("vector", &T::vector, Presence::required, embedding_rule, "The question as numbers, not all of them 0."),
      field(
          "model", &T::model, Presence::optional, rules::term(),
          "The model that made the vector: only its embeddings are searched. The server's default one where left out."),
      field("request_id", &T::request_id, Presence::optional, rules::id(),
            "What the request is recorded and logged under; the server makes one where left out."),
      field("question", &T::question, Presence::optional, question_rule, "What was asked; needed with `record`."),
      field("filters", &T::filters, Presence::optional, rules::any(), "Which chunks, and how many at most."),
      field("record", &T::record, Presence::optional, rules::any(),
            "Also records the query, its embedding and what was retrieved."),
  };
};

}  // namespace whence::schema
