// The functions that replace LMDB's.

#include "tests/store/failing_calls.hpp"

#include <dlfcn.h>
#include <lmdb.h>

namespace whence::test {
namespace {

struct Plan {
  bool is_armed = false;
  std::size_t left = 0;  ///< calls that still succeed
  int code = 0;
  bool has_failed = false;
};

Plan plan;

/// Whether the call at hand is the one to fail.
bool fails_now() noexcept {
  if (!plan.is_armed || plan.has_failed) return false;
  plan.has_failed = plan.left == 0;
  if (!plan.has_failed) --plan.left;
  return plan.has_failed;
}

template <class Function>
Function* library_function(char const* name) noexcept {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

FailingCall::FailingCall(std::size_t number, int code) noexcept {
  plan = {.is_armed = true, .left = number, .code = code};
}

FailingCall::~FailingCall() {
  plan = {};
}

bool FailingCall::has_failed() const noexcept {
  return plan.has_failed;
}

}  // namespace whence::test

extern "C" int mdb_put(MDB_txn* txn, MDB_dbi dbi, MDB_val* key, MDB_val* value, unsigned flags) {
  static auto* const real = whence::test::library_function<decltype(mdb_put)>("mdb_put");
  return whence::test::fails_now() ? whence::test::plan.code : real(txn, dbi, key, value, flags);
}

extern "C" int mdb_txn_commit(MDB_txn* txn) {
  static auto* const real = whence::test::library_function<decltype(mdb_txn_commit)>("mdb_txn_commit");
  if (!whence::test::fails_now()) return real(txn);
  mdb_txn_abort(txn);  // the transaction is over either way
  return whence::test::plan.code;
}
