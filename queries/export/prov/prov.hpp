#pragma once
// W3C PROV: the mapping from the graph to PROV statements. PROV-JSON and PROV-N share it and differ in syntax.

#include "queries/export/graph_writer.hpp"
#include "queries/export/prov/foreign.hpp"
#include "queries/export/prov/makers.hpp"

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::exports {

/// A value with the datatype it is written with.
struct ProvValue {
  enum class Type : std::uint8_t { text, name, integer, real, time } type;
  std::string text;
};

struct ProvAttribute {
  std::string_view name;
  ProvValue value;
};

/// A formal argument; an empty value means that it is missing.
struct ProvArgument {
  std::string_view name;  ///< as PROV-JSON calls it
  std::string value;
};

/// A few items whose memory is used again.
template <class Item, std::size_t size_max>
class Reused {
 public:
  void clear() noexcept { size_ = 0; }
  /// The next item, which still says what it last did.
  [[nodiscard]] Item& next() {
    assert(size_ < size_max);
    return items_[size_++];
  }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] auto begin() const noexcept { return items_.begin(); }
  [[nodiscard]] auto end() const noexcept { return items_.begin() + static_cast<std::ptrdiff_t>(size_); }

 private:
  std::array<Item, size_max> items_ = {};
  std::size_t size_ = 0;
};

/// What comes before a statement in the document.
struct ProvPlace {
  bool is_first = false;     ///< of its section
  bool has_section = false;  ///< another section comes before its own
};

/// Kept by a thread from one statement to the next, so that none of them allocates.
class ProvStatement {
 public:
  std::string_view section = {};  ///< "entity", "used", ...
  ProvPlace place = {};
  std::uint64_t relation = 0;  ///< the number of a relation
  std::string id = {};         ///< of an element; empty for a relation
  Reused<ProvArgument, 3> arguments = {};
  Reused<ProvAttribute, 16> attributes = {};

  void begin(std::string_view its_section) {
    section = its_section;
    id.clear();
    arguments.clear();
    attributes.clear();
  }

  /// The value, empty.
  std::string& argument(std::string_view name) {
    auto& argument = arguments.next();
    argument.name = name;
    argument.value.clear();
    return argument.value;
  }

  /// The text of the value, empty.
  std::string& attribute(std::string_view name, ProvValue::Type type) {
    auto& attribute = attributes.next();
    attribute.name = name;
    attribute.value.type = type;
    attribute.value.text.clear();
    return attribute.value.text;
  }
};

struct ProvPrefix {
  std::string name;
  std::string iri;
};

struct ProvPart;

/// Turns nodes and edges into statements, section by section.
class ProvWriter : public GraphWriter {
 public:
  /// `reserved` are words that the syntax does not take as prefixes.
  explicit ProvWriter(std::span<std::string_view const> reserved) : foreign_(reserved) {}

  [[nodiscard]] std::vector<Pass> passes() const override;
  void begin(Counts const& counts, schema::TxId tx) override;
  void begin_pass(std::size_t pass, std::string& out) override;
  [[nodiscard]] std::unique_ptr<Part> new_part(std::size_t pass) const override;
  void node(std::size_t pass, Node const& node, Part& part) override;
  void edge(std::size_t pass, Edge const& edge, Part& part) override;
  void join(std::size_t pass, Part& part) override;
  void end_pass(std::size_t pass, Part& part) override;

 protected:
  [[nodiscard]] virtual std::string document_begin(std::span<ProvPrefix const> prefixes) = 0;
  /// Called by several threads.
  virtual void write(ProvStatement const& statement, std::string& out) const = 0;
  /// An imported statement, after those made from the graph. `relation` is its number where it has no name.
  virtual void write_foreign(std::string_view section, ForeignEntry const& entry, ProvPlace place,
                             std::uint64_t relation, Part& part) = 0;
  /// `place` as for the first statement of a section.
  virtual void write_bundles(std::map<std::string, ForeignPart> const& bundles, ProvPlace place, Part& part) = 0;
  [[nodiscard]] virtual std::string document_end(bool has_sections) const = 0;

  /// The number of the next relation. Relations have numbers in the order of the document.
  [[nodiscard]] std::uint64_t next_relation() { return ++relations_; }

 private:
  void write_next(ProvPart& part, std::uint64_t entry) const;
  void write_agents(std::string& out);
  void learn(Node const& node, ProvPart& part) const;
  void write_association(Node const& node, ProvPart& part) const;
  void write_foreign_section(std::string_view section, bool is_open, Part& part);
  void append_agent(std::string& out, std::string_view agent) const;

  ForeignProv foreign_;
  Agents agents_ = {};
  Makers makers_ = {};
  std::vector<std::uint32_t> made_by_ = {};  ///< for each response in order, its place in `makers_`
  bool knows_makers_ = true;                 ///< `made_by_` has all of them
  bool lacks_makers_ = false;                ///< the content of some response is gone
  std::uint64_t entries_ = 0;                ///< of this pass, in the slices that were joined
  std::uint64_t relations_ = 0;              ///< before this pass; in `end_pass`, so far
  bool has_sections_ = false;                ///< likewise
};

}  // namespace whence::exports
