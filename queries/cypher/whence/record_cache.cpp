#include "queries/cypher/whence/record_cache.hpp"

#include "queries/cypher/whence/json_value.hpp"
#include "queries/whole.hpp"
#include "schema/json/codec.hpp"
#include "schema/json/json.hpp"

#include <boost/json/object.hpp>

namespace whence::queries::cypher {

std::shared_ptr<Map const> RecordCache::read(View const& view, graph::VertexId vertex) {
  auto const key = schema::number(vertex);
  if (auto const found = newer_.find(key); found != newer_.end()) return found->second;
  if (auto const found = older_.find(key); found != older_.end()) return found->second;
  auto made = std::make_shared<Map>();
  if (!view.snapshot.gone(vertex)) {
    auto record = read_one(view, vertex);
    if (!record) {
      if (!error_) error_ = record.error();
      return made;
    }
    auto const text = schema::json::to_text(*record);
    auto const parsed = schema::json::parse(text);
    if (!parsed) {
      if (!error_) error_ = parsed.error();
      return made;
    }
    for (auto const& member : parsed->value.get_object()) {
      if (std::string_view{member.key()} != schema::json::type_member)
        made->emplace(std::string{member.key()}, from_json(member.value()));
    }
    newer_bytes_ += text.size() * 2 + 256;
  }
  if (newer_bytes_ > kept_bytes_max) {
    older_ = std::move(newer_);
    newer_.clear();
    newer_bytes_ = 0;
  }
  newer_.emplace(key, made);
  return made;
}

}  // namespace whence::queries::cypher
