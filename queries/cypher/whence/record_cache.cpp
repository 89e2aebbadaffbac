// Two generations: once the newer one is full it becomes the older one, and what was older is dropped; maps that are in
// use stay with their users. A record that cannot be read is an empty map, and the failure is noted for the end of the
// query.
#include "queries/cypher/whence/record_cache.hpp"

#include "queries/cypher/whence/json_value.hpp"
#include "queries/view/whole.hpp"
#include "schema/base/fields.hpp"
#include "schema/base/time.hpp"
#include "schema/records/record_fields.hpp"
#include "schema/wire/codec.hpp"
#include "schema/wire/record_object.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::queries::cypher {
namespace {

/// Sets the members that are times, whose texts do not compare as they do: "...00.5Z" is before "...00Z".
void set_times(schema::Record const& record, Map& made) {
  std::visit(
      [&made]<class T>(T const& typed) {
        schema::for_each_field<T>([&](auto const& field) {
          using Member = typename std::remove_cvref_t<decltype(field)>::member_type;
          auto const& member = typed.*field.member;
          if constexpr (std::is_same_v<Member, schema::Time>) {
            made.insert_or_assign(std::string{field.name}, from_time(member));
          } else if constexpr (std::is_same_v<Member, std::optional<schema::Time>>) {
            if (member) made.insert_or_assign(std::string{field.name}, from_time(*member));
          }
        });
      },
      record);
}

/// About what `json` takes as values of the language: twice its text.
std::size_t bytes_in(boost::json::value const& json) {
  std::size_t bytes = 8;
  if (auto const* const text = json.if_string()) bytes += 2 * text->size();
  if (auto const* const list = json.if_array()) {
    for (auto const& each : *list) bytes += bytes_in(each);
  } else if (auto const* const members = json.if_object()) {
    for (auto const& each : *members) bytes += 2 * each.key().size() + bytes_in(each.value());
  }
  return bytes;
}

}  // namespace

std::shared_ptr<Map const> RecordCache::find(std::uint32_t key) const {
  if (auto const found = newer_.find(key); found != newer_.end()) return found->second;
  if (auto const found = older_.find(key); found != older_.end()) return found->second;
  return nullptr;
}

void RecordCache::share_among(std::size_t parts) {
  newer_bytes_max_ = kept_bytes_max / parts;
  if (std::max(newer_bytes_, older_bytes_) > newer_bytes_max_) let_go();
}

void RecordCache::let_go() noexcept {
  newer_ = {};
  older_ = {};
  newer_bytes_ = older_bytes_ = 0;
}

void RecordCache::note(Error const& error) {
  if (!error_) error_ = error;
}

std::shared_ptr<Map const> RecordCache::keep(std::uint32_t key, std::shared_ptr<Map const> map, std::size_t bytes) {
  if (newer_bytes_ > newer_bytes_max_) {
    older_ = std::move(newer_);
    older_bytes_ = std::exchange(newer_bytes_, 0);
    newer_.clear();
  }
  newer_bytes_ += bytes + 256;
  newer_[key] = map;
  return map;
}

std::shared_ptr<Map const> RecordCache::keep(std::uint32_t key, schema::Record const& record) {
  auto const object = schema::json::to_object(record, schema::json::WholeDoubles::as_doubles);
  auto made = std::make_shared<Map>();
  if (!object) {
    note(object.error());
    return made;
  }
  std::size_t bytes = 0;
  for (auto const& member : *object) {
    bytes += 2 * member.key().size() + bytes_in(member.value());
    if (std::string_view{member.key()} == schema::json::type_member) continue;
    made->emplace(std::string{member.key()}, from_json(member.value()));
  }
  set_times(record, *made);
  return keep(key, std::move(made), bytes);
}

std::shared_ptr<Map const> RecordCache::read(View const& view, graph::VertexId vertex) {
  auto const key = schema::number(vertex);
  if (auto found = find(key)) return found;
  auto const said = read_one(view, vertex);
  if (!said) {
    note(said.error());
    return std::make_shared<Map>();
  }
  if (auto const* const record = said->find()) return keep(key, *record);
  return keep(key, std::make_shared<Map>(), 0);
}

void RecordCache::read_ahead(View const& view, std::span<std::uint64_t const> nodes) {
  std::vector<graph::VertexId> missing;
  for (auto const node : nodes) {
    graph::VertexId const vertex{static_cast<std::uint32_t>(node)};
    if (find(schema::number(vertex)) == nullptr && !view.snapshot.gone(vertex)) missing.push_back(vertex);
  }
  if (missing.empty()) return;
  auto const done = read_those_there(view, missing, [&](std::size_t i, schema::Record&& record) {
    keep(schema::number(missing[i]), record);
    return true;
  });
  if (!done) note(done.error());
}

}  // namespace whence::queries::cypher
