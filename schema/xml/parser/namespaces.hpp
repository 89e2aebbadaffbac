#pragma once
// Namespaces in XML 1.0 (third edition), checked outside the parser: Xerces looks a prefix up by walking all bindings
// in scope, which lets a small document cost seconds, and it remembers every name for as long as it lives.

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::schema::xml {

/// One attribute as written; views of the parser's buffers.
struct RawAttribute {
  std::u16string_view name;
  std::u16string_view value;
};

/// The bindings in scope at one place of one document.
class Namespaces {
 public:
  /// Before a document.
  void clear();

  /// Enters an element. Returns what is wrong with its names and declarations, empty where nothing is.
  [[nodiscard]] std::string_view enter(std::u16string_view name, std::span<RawAttribute const> attributes);
  /// Leaves the element entered last.
  void leave();

 private:
  using Number = std::size_t;  ///< of a namespace name, so that long ones are compared once

  [[nodiscard]] std::string_view declare(std::u16string_view prefix, std::u16string_view name);
  [[nodiscard]] std::string_view check_name(std::u16string_view name) const;
  [[nodiscard]] std::string_view check_attributes(std::span<RawAttribute const> attributes);
  [[nodiscard]] Number find(std::u16string_view prefix) const;
  [[nodiscard]] Number number_of(std::u16string_view name);

  using Bindings = std::map<std::u16string, std::vector<Number>, std::less<>>;
  Bindings bindings_;                                             ///< innermost last; none where a prefix is not bound
  std::vector<std::pair<std::size_t, Bindings::iterator>> undo_;  ///< depth of a declaration, and its prefix
  std::map<std::u16string, Number, std::less<>> numbers_;
  std::vector<std::pair<Number, std::u16string_view>> expanded_;  ///< of one element; kept for its memory
  std::size_t depth_ = 0;
};

/// Whether a name, known to be one of XML, is a qualified name: at most one colon, a name on either side of it.
[[nodiscard]] bool is_qualified_name(std::u16string_view name);

}  // namespace whence::schema::xml
