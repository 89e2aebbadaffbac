#pragma once
// What the verbs that erase or purge say of the answer, and what they keep of it.

#include "tools/cli/program/program.hpp"
#include "tools/cli/transport/caller.hpp"

#include <iosfwd>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace whence::tools {

/// Prints what went, or would go, a line each, what stays, and older backups that still have something of it.
void show_erased(boost::json::object const& result, bool is_dry_run, std::ostream& to);

/// Prints what a dry run says of why nothing would go: what is held, or too young.
void show_kept(boost::json::object const& result, std::ostream& to);

/// Where the server only took down a proposal: prints it, and how another user confirms it. Whether it did.
bool show_proposed(boost::json::object const& result, Io& io);

/// What is kept of an erasure, by the flags of a verb.
struct KeptOfErasure {
  std::string list = {};         ///< the file that what must stay gone is added to; empty: none
  std::string certificate = {};  ///< the file of the certificate; empty: none is wanted
};

/// Whether the files can be written, and the list is one, asked before anything goes: the error names the one that
/// cannot. Leaves what is there as it is.
CallResult<void> check_writable(KeptOfErasure const& kept);

/// Writes the certificate of the erasure `ref` to the file that was asked for, else to the output.
CallResult<void> certify(KeptOfErasure const& kept, std::string const& ref, Caller& caller, Io& io);

/// Adds what a purge or its dry run says must stay gone to the file of that. `again` is the command that does it later,
/// where the file cannot be written now.
CallResult<void> add_to_list(std::string const& file, boost::json::object const& result, std::string_view again);

/// What follows an erasure, by its answer: prints it, adds what is gone to the list of what must stay gone, which a
/// restore applies, and writes the certificate. Where a file fails, the answer is printed nevertheless. Of an erasure
/// that found nothing left there is no certificate, and that is said.
ExitCode finish_erased(KeptOfErasure const& kept, boost::json::object const& answer, bool is_json, Caller& caller,
                       Io& io);

}  // namespace whence::tools
