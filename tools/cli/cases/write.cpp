// One file, written when everything is there.

#include "tools/cli/cases/write.hpp"

#include "schema/base/time.hpp"
#include "schema/json/json.hpp"
#include "store/files/destination.hpp"
#include "tools/cli/cases/form.hpp"
#include "tools/cli/cases/gather.hpp"
#include "tools/cli/exports/run.hpp"

#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

/// What the server proves of the answers, of all they rest on, and of what the case shows besides, `shown`; nothing
/// where it proves nothing now, which the file says.
std::optional<boost::json::value> find_proof(Caller& caller, std::vector<std::string> const& refs,
                                             boost::json::array const& shown) {
  auto const checkpoint = caller.call("log.checkpoint", boost::json::object{});
  if (!checkpoint) return std::nullopt;
  boost::json::array bundles;
  for (auto const& ref : refs) {
    boost::json::object params{{"ref", ref}, {"why", true}};
    if (bundles.empty()) params["beside"] = shown;
    auto bundle = caller.call("log.bundle", params);
    // What is shown of the past may be gone now, or be too much: then the answer and what it rests on.
    if (!bundle && params.erase("beside") > 0) bundle = caller.call("log.bundle", params);
    if (!bundle) return std::nullopt;
    bundles.emplace_back(schema::json::to_text(*bundle));
  }
  return boost::json::object{{"keys", boost::json::array{checkpoint->at("key")}}, {"bundles", std::move(bundles)}};
}

CallResult<std::string> make_case(CaseCommand const& command) {
  boost::json::object moment;
  if (auto const put = put_param(moment, command.as_of); !put) {
    return CallError{.exit = ExitCode::usage, .message = put.error().message};
  }
  auto form = find_case_form(command.target);
  if (!form) return form.error();
  auto const caller = open_caller(command.target, MissingStore::is_error, timeout_default);
  if (!caller) return caller.error();
  auto const made = schema::format_rfc3339(schema::SystemClock().now());
  auto data = gather_case(**caller, command.refs, std::move(moment), made);
  if (!data) return data.error();
  auto proof = find_proof(**caller, command.refs, refs_in_case(*data));
  return filled_case(std::move(*form), boost::json::value(std::move(*data)), std::move(proof));
}

}  // namespace

CallResult<void> write_case(CaseCommand const& command, Io& io) {
  if (command.refs.size() > case_refs_max) {
    return CallError{.exit = ExitCode::usage,
                     .message = "--ref: a case has at most " + std::to_string(case_refs_max) + " answers"};
  }
  using store::Destination;
  std::optional<Destination> file;
  if (command.path != "-") {
    auto created = Destination::create(command.path, Destination::Shape::file, {.is_allowed = command.may_replace});
    if (!created) {
      return call_error(created.error());
    }
    file.emplace(std::move(*created));
  }
  auto const text = make_case(command);
  if (!text) return text.error();
  if (!file) {
    io.data << *text;
    return {};
  }
  try {
    auto const sink = file->open({});
    sink->write(*text);
    static_cast<void>(sink->finish());
    file->commit();
  } catch (std::system_error const& failed) {
    bool const is_taken = failed.code() == std::errc::file_exists;
    return CallError{.exit = is_taken ? ExitCode::conflict : ExitCode::failure, .message = failed.what()};
  }
  return {};
}

}  // namespace whence::tools
