#pragma once
// An engine with an index of texts, and questions of it.

#include "engine/engine.hpp"
#include "queries/search/text_search.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/wait_until.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {

struct SearchFixture : EngineFixture {
  SearchFixture() {
    engine.reset();
    config.search = engine::SearchBy::index;
    open();
  }

  [[nodiscard]] std::filesystem::path index_file() const { return config.directory / "search.db"; }

  /// Whether the index has read the whole log.
  [[nodiscard]] bool is_read() const { return engine->search()->tx == engine->snapshot().tx(); }
  void wait_for_index() const {
    BOOST_REQUIRE(wait_until([&] { return is_read(); }));
  }

  [[nodiscard]] queries::View view(graph::Snapshot snapshot) const {
    return {.snapshot = std::move(snapshot), .records = &engine->records(), .texts = engine->texts()};
  }
  [[nodiscard]] queries::View view() const { return view(engine->snapshot()); }

  [[nodiscard]] Result<queries::TextMatches> ask(queries::View const& at, queries::SearchParams const& params) const {
    schema::NoInterrupt const never;
    return queries::search(at, params, {never, 1'000'000});
  }
  /// The ids found, as a set.
  [[nodiscard]] std::set<std::string> found(std::string text) const { return found(view(), std::move(text)); }
  [[nodiscard]] std::set<std::string> found(queries::View const& at, std::string text) const {
    auto const matches = ask(at, {.text = std::move(text)});
    std::set<std::string> found_ids;
    for (auto const& match : matches.value().nodes) found_ids.emplace(at.snapshot.id(match.vertex));
    return found_ids;
  }

  Result<engine::WriteAnswer> purge(std::string const& ref) {
    engine::WriteBatch batch;
    batch.step = engine::ContentRemoval{.is_purge = true, .refs = {schema::parse_ref(ref).value()}};
    return engine->write(std::move(batch));
  }

  /// Whether any file of the index holds these bytes.
  [[nodiscard]] bool index_has(std::string_view bytes) const {
    return std::ranges::any_of(std::vector<std::string>{"", "-wal"}, [&](std::string const& suffix) {
      std::ifstream file(index_file().string() + suffix, std::ios::binary);
      std::string const all{std::istreambuf_iterator<char>(file), {}};
      return all.find(bytes) != std::string::npos;
    });
  }
};

inline schema::ContextUnit unit_with(std::string id, std::string content) {
  auto made = unit(std::move(id), "mail");
  made.content = std::move(content);
  return made;
}

}  // namespace whence::test
