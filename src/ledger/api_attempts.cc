#include "ledger/api_attempts.h"

#include <algorithm>
#include <utility>

#include "ledger/attempt_selector.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::ledger {

void ApiAttemptSource::find(const AttemptFilter& filter, size_t limit,
                            const std::string& continue_token,
                            std::function<void(Result<AttemptPage>)> done) {
  const size_t most = limit == 0 ? kDefaultPage : std::min(limit, kMaxPage);
  client_.list({&api::kinds::attempt(), filter.ns, "", attempt_selector(filter)},
               {static_cast<int64_t>(most), continue_token},
               [done = std::move(done)](const Result<client::ObjectList>& list) {
                 if (!list) {
                   return done(fail(list.error()));
                 }
                 AttemptPage page;
                 for (const client::ObjectPtr& object : list->items) {
                   page.items.push_back(api::object_as<api::ledger::v1::Attempt>(object));
                 }
                 page.next = list->continue_token;
                 done(std::move(page));
               });
}

}  // namespace windlass::ledger
