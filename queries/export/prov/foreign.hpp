#pragma once
// The statements of imported PROV documents, collected from the records that keep them, so that they are written as
// they were read. All of them are held in memory: each document was imported as one batch.

#include "schema/records/records.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::exports {

/// One entry of a section: a name with its statements.
struct ForeignEntry {
  std::string key;  ///< empty for a relation without a name
  /// PROV-JSON objects with their places in an array; an object without a place is the only one.
  std::vector<std::pair<std::int64_t, std::string>> items = {};
  bool is_array = false;

  /// An object, or an array of objects.
  [[nodiscard]] std::string json() const;
};

/// A document's own statements, or those of one of its bundles.
struct ForeignPart {
  std::map<std::string, std::string> prefixes = {};
  std::map<std::string, std::vector<ForeignEntry>> sections = {};  ///< by name: "entity", "used", ...
};

class ForeignProv {
 public:
  /// `reserved` are words that are no prefixes in the syntax to write; they outlive this object.
  explicit ForeignProv(std::span<std::string_view const> reserved) : reserved_(reserved) {}

  /// Gives a prefix of the document its meaning; before the first record. Nodes of the graph are named with it: what a
  /// PROV record says of a thing that has the same name is written with another prefix of this meaning.
  void reserve_prefix(std::string const& prefix, std::string const& iri);
  /// `record` is one of the three PROV records. A prefix that has another meaning already, or is reserved, is renamed.
  void add(schema::Record const& record);

  [[nodiscard]] ForeignPart& document() noexcept { return document_; }
  [[nodiscard]] std::map<std::string, ForeignPart> const& bundles() const noexcept { return bundles_; }

  /// The prefix itself; where some are reserved, with `_ns` after it if it is, or made to one of the grammar.
  [[nodiscard]] std::string writable(std::string const& prefix) const;

  /// Appends the name of a PROV record, for relations that are made from the graph: with a prefix of the document where
  /// one fits, else its IRI. What is in a bundle, or has a digest as id, has no name outside: it is a name of
  /// `whence`. After the last record.
  void append_name(std::string& out, std::string_view ref) const;

 private:
  /// What the prefixes of the document mean, each meaning once.
  struct Meaning {
    std::string iri;
    std::optional<std::string> prefix = {};   ///< the first by name, but for the default one
    bool is_default_first = false;            ///< the default one has it too, and comes before `prefix`
    std::optional<std::size_t> shorter = {};  ///< the longest other one that this begins with
  };

  std::string add_prefix(ForeignPart& part, std::string const& prefix, std::string const& iri);
  [[nodiscard]] std::string beside_own(std::string const& key);
  [[nodiscard]] std::vector<Meaning> meanings() const;

  std::span<std::string_view const> reserved_;
  ForeignPart document_ = {};
  std::set<std::string, std::less<>> own_ = {};  ///< prefixes of nodes of the graph
  std::map<std::string, ForeignPart> bundles_ = {};
  mutable std::optional<std::vector<Meaning>> meanings_ = {};  ///< in order; made when a name is first appended
};

}  // namespace whence::exports
