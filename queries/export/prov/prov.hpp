#pragma once
// W3C PROV: the mapping from the graph to PROV statements. PROV-JSON and PROV-N share it and differ in syntax.

#include "queries/export/graph_writer.hpp"
#include "queries/export/prov/foreign.hpp"

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
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

struct ProvStatement {
  std::string_view section;  ///< "entity", "used", ...
  std::string id = {};       ///< of an element; relations are numbered
  std::vector<ProvArgument> arguments = {};
  std::vector<ProvAttribute> attributes = {};
};

struct ProvPrefix {
  std::string name;
  std::string iri;
};

/// Turns nodes and edges into statements, section by section.
class ProvWriter : public GraphWriter {
 public:
  /// `reserved` are words that the syntax does not take as prefixes.
  explicit ProvWriter(std::span<std::string_view const> reserved) : foreign_(reserved) {}

  [[nodiscard]] std::vector<Pass> passes() const override;
  void begin(Counts const& counts, schema::TxId tx) override;
  void begin_pass(std::size_t pass, std::string& out) override;
  void node(std::size_t pass, Node const& node, std::string& out) override;
  void edge(std::size_t pass, Edge const& edge, std::string& out) override;
  void end_pass(std::size_t pass, std::string& out) override;

 protected:
  [[nodiscard]] virtual std::string document_begin(std::span<ProvPrefix const> prefixes) const = 0;
  virtual void write(ProvStatement const& statement, std::string& out) = 0;
  /// Imported statements of one section, after those made from the graph.
  virtual void write_foreign(std::string_view section, std::vector<ForeignEntry> const& entries, std::string& out) = 0;
  virtual void write_bundles(std::map<std::string, ForeignPart> const& bundles, std::string& out) = 0;
  [[nodiscard]] virtual std::string document_end() const = 0;

 private:
  void write_foreign_section(std::string_view section, std::string& out);
  void write_agent(std::string const& id, std::string_view type, std::string_view label, std::string& out);

  [[nodiscard]] std::string name_of_agent(std::string_view agent) const;

  ForeignProv foreign_;
  std::set<std::string> agents_ = {};  ///< written already
};

/// The qualified name of a ref: its type as prefix, the id as local part with `%XX` for what a local part may not hold.
[[nodiscard]] std::string qualified_name(std::string_view prefix, std::string_view local);

}  // namespace whence::exports
