#pragma once
// The command line as data, read from the parser itself: completion and the manual page are made of it, so that they
// know what the parser knows.

#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>

namespace whence::tools {

/// A flag, or an argument without one.
struct ArgumentUsage {
  std::vector<std::string> names = {};  ///< with their dashes; of an argument without a flag its name
  std::string placeholder = {};         ///< of its value; empty: it takes none
  std::string doc = {};
  std::string variable = {};  ///< of the environment; empty: none
  bool is_required = false;
  bool is_repeatable = false;
};

struct VerbUsage {
  std::string name = {};
  std::string doc = {};
  std::string purpose = {};
  std::string footer = {};
  std::vector<ArgumentUsage> arguments = {};  ///< without a flag, in their order
  std::vector<ArgumentUsage> flags = {};
};

/// The verbs in the order of --help.
[[nodiscard]] std::vector<VerbUsage> usage_of(CLI::App const& program);

/// What a value may be, as far as its placeholder says.
struct ValueUsage {
  std::vector<std::string> words = {};
  bool is_list = false;    ///< several of the words, with commas between them
  bool is_file = false;    ///< a path
  bool is_folder = false;  ///< a path of a folder
};

/// "a|b" are two words, "a,b" a list of them; TYPE and EDGE are the types of records and of edges, "TYPE,..." is a list
/// of them; FILE, PATH and DIR are paths.
[[nodiscard]] ValueUsage values_of(std::string_view placeholder);

/// Whether help, version and other flags that every verb has are meant.
[[nodiscard]] bool is_of_every_verb(ArgumentUsage const& flag);

}  // namespace whence::tools
