#pragma once
// Stored records by their refs, for tests.

#include "engine/engine.hpp"
#include "graph/snapshot/records.hpp"
#include "schema/types/ref.hpp"
#include "schema/wire/codec.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace whence::test {

/// The record of `ref` as of `snapshot`.
inline schema::Record record_at(engine::Engine const& engine, graph::Snapshot const& snapshot, std::string_view ref) {
  auto const parsed = schema::parse_ref(ref).value();
  auto const vertex = snapshot.find(parsed.type, parsed.id);
  if (!vertex) throw std::runtime_error("not there: " + std::string(ref));
  std::optional<schema::Record> found;
  graph::read_those_there(snapshot, engine.records(), {&*vertex, 1}, [&](std::size_t, schema::Record&& record) {
    found = std::move(record);
    return true;
  }).value();
  return found.value();
}

template <class T>
T record_of(engine::Engine const& engine, std::string_view ref) {
  return std::get<T>(record_at(engine, engine.snapshot(), ref));
}

/// As JSON text, in wire form.
inline std::string text_at(engine::Engine const& engine, std::uint64_t tx, std::string_view ref) {
  return schema::json::to_text(record_at(engine, engine.snapshot().as_of(schema::TxId{tx}), ref));
}

inline std::string text_of(engine::Engine const& engine, std::string_view ref) {
  return schema::json::to_text(record_at(engine, engine.snapshot(), ref));
}

}  // namespace whence::test
