// A value is taken from the graph where that has it, else from the columns, else from the record, a slice of records at
// a time. What a column does not know of some nodes is read from their records.

#include "queries/find/field_values.hpp"

#include "graph/snapshot/records.hpp"
#include "queries/find/search.hpp"
#include "schema/records/indexed_fields.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries {
namespace {

using Visit = std::function<void(std::size_t, std::optional<Value> const&)>;

void visit_texts(std::span<std::string const> texts, std::size_t i, Visit const& visit) {
  if (texts.empty()) return visit(i, std::nullopt);
  for (auto text = texts.begin(); text != texts.end(); ++text) {
    if (std::find(texts.begin(), text, *text) == text) visit(i, std::string_view(*text));  // twice counts once
  }
}

void visit_record(SearchField const& field, schema::Record const& record, std::size_t i, Visit const& visit) {
  if (field.from_record != nullptr) return visit(i, field.from_record(record));
  if (field.texts_from_record != nullptr) return visit_texts(field.texts_from_record(record), i, visit);
  auto const* const list = field.list_from_record(record);
  visit_texts(list == nullptr ? std::span<std::string const>{} : std::span{*list}, i, visit);
}

/// As `read_field`, of the vertices at `places`.
Result<void> read_records_at(View const& view, SearchField const& field, std::span<VertexId const> vertices,
                             std::span<std::size_t const> places, schema::Poll& poll, Visit const& visit) {
  std::vector<VertexId> slice;
  for (std::size_t begin = 0; begin < places.size(); begin += slice_records) {
    if (poll.must_stop(slice_records)) return poll.error();
    auto const part = places.subspan(begin, std::min(slice_records, places.size() - begin));
    slice.clear();
    for (auto const place : part) slice.push_back(vertices[place]);
    auto read = graph::read_records(view.snapshot, *view.records, slice, [&](std::size_t i, graph::Said&& said) {
      if (auto const* const record = said.find()) {
        visit_record(field, *record, part[i], visit);
      } else {
        visit(part[i], std::nullopt);
      }
      return true;
    });
    if (!read) return read;
  }
  return {};
}

void visit_list(std::optional<std::string_view> list, std::size_t i, Visit const& visit) {
  if (!list || list->empty()) return visit(i, std::nullopt);
  schema::any_in_list(*list, [&](std::string_view text) {
    visit(i, text);
    return false;
  });
}

/// Visits the values that columns know; the places of the others.
Result<std::vector<std::size_t>> read_in_columns(View const& view, SearchField const& field, schema::RecordType type,
                                                 std::span<VertexId const> vertices, schema::Poll& poll,
                                                 Visit const& visit) {
  auto const* const indexed = schema::find_indexed_field(type, field.name);
  if (view.columns != nullptr && indexed != nullptr && indexed->number != nullptr) {
    return view.columns->read_numbers(view.snapshot, type, field.name, vertices, poll,
                                      [&](std::size_t i, std::optional<double> number) {
                                        visit(i, number ? std::optional<Value>{*number} : std::nullopt);
                                      });
  }
  if (view.columns != nullptr && is_in_column(type, field)) {
    bool const is_list = indexed->is_list;
    return view.columns->read(view.snapshot, type, field.name, vertices, poll,
                              [&](std::size_t i, std::optional<std::string_view> const& text) {
                                if (is_list) return visit_list(text, i, visit);
                                visit(i, text ? std::optional<Value>{*text} : std::nullopt);
                              });
  }
  std::vector<std::size_t> all(vertices.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace

Result<void> read_field(View const& view, SearchField const& field, std::span<VertexId const> vertices,
                        schema::Poll& poll, Visit const& visit) {
  if (field.from_graph != nullptr) {
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      if (poll.must_stop()) return poll.error();
      visit(i, field.from_graph(view.snapshot, vertices[i]));
    }
    return {};
  }
  if (vertices.empty()) return {};
  auto const type = view.snapshot.type(vertices.front());
  auto const unknown = read_in_columns(view, field, type, vertices, poll, visit);
  if (!unknown) return unknown.error();
  return read_records_at(view, field, vertices, *unknown, poll, visit);
}

}  // namespace whence::queries
