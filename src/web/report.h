// One self-contained HTML file about a Job: the page with its data inside. It loads nothing, runs
// no script but its own, and can be opened from disk. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace windlass::web {

// `page` is a document of job_page_json().
std::string report_html(std::string_view title, std::string_view page);

// The module of the page with all that it imports, as one script.
std::string bundle(std::string_view module);

}  // namespace windlass::web
