#pragma once
// Kinds of batches, for tests.

#include "engine/values/batch.hpp"
#include "schema/types/ref.hpp"
#include "tests/support/builders.hpp"

#include <string>
#include <utility>
#include <vector>

namespace whence::test {

/// With the Topics, Messages and Discussions that the records name.
inline engine::WriteBatch ensured(std::vector<schema::Record> records) {
  auto result = batch(std::move(records));
  result.ensure = true;
  return result;
}

inline engine::WriteBatch dry(engine::WriteBatch given) {
  given.dry_run = true;
  return given;
}

/// A deletion of nodes.
inline engine::WriteBatch removing(std::vector<std::string> const& refs) {
  engine::WriteBatch result;
  for (auto const& ref : refs) result.deletes.push_back(schema::parse_ref(ref).value());
  return result;
}

}  // namespace whence::test
