#pragma once
// What a thread throws that is not waited for: reported, and no end of the process.

#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace whence::schema {

/// Receives what a thread could not do and what goes on, as a sentence. From any thread; must not block or throw.
using TroubleReport = std::function<void(std::string_view trouble)>;

/// The catch at the top of one thread. Belongs to it.
class ThreadGuard {
 public:
  /// `thread` names the thread; `goes_on` says what follows from a failure. Both are literals.
  ThreadGuard(TroubleReport report, std::string_view thread, std::string_view goes_on)
      : report_{std::move(report)}, thread_{thread}, goes_on_{goes_on} {}

  /// Runs `work`. False where it threw: of failures in a row the first is reported.
  template <class Work>
  bool run(Work&& work) noexcept {
    try {
      work();
      is_told_ = false;
      return true;
    } catch (std::exception const& failure) {
      tell(failure.what());
    } catch (...) {
      tell("an unknown exception");
    }
    return false;
  }

 private:
  void tell(char const* what) noexcept try {
    if (is_told_ || !report_) return;
    is_told_ = true;
    report_(std::string{thread_} + ": " + what + "; " + std::string{goes_on_});
  } catch (...) {  // no memory for the words
    is_told_ = false;
  }

  TroubleReport const report_;
  std::string_view const thread_;
  std::string_view const goes_on_;
  bool is_told_ = false;
};

}  // namespace whence::schema
